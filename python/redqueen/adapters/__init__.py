"""What plugs RedQueen's problems and rewards into other trainers: one module each, which imports its trainer only when used.

`trl`, `verifiers`, `verl`, `slime`, `skyrl`, `nemo_gym`, `openenv`, `reasoning_gym`, `gymnasium`, `pool`, `inspect` and
`lm_eval`. docs/trainers/ has a page on each. Every one of them asks servers where it is given URLs or `$REDQUEEN_URL` is
set (several, with commas between), and the engine in this process where not.
"""
