/**
 * Of the executor's node, as the chart sets them (EXECUTOR_COMMAND_JSON). One thread collects: a pod has about one core, on which
 * several wait for each other. What a batch holds outlives a small young generation; an old one that may grow to 72 MB before it is
 * looked through is looked through less often under load, and is given back at rest.
 */
export const POD_FLAGS = [
  '--max-semi-space-size=8',
  '--initial-old-space-size=72',
  '--max-old-space-size=128',
  '--single-threaded-gc',
  '--v8-pool-size=1',
  '--expose-gc',
];

/** And of its environment: one arena holds what several threads ask of the C library, a few MB less than one for each. */
export const POD_ENV = { MALLOC_ARENA_MAX: '1' };
