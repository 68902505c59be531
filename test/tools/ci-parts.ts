/** All of CI's parts together stay within so many minutes; CI ends a run after 90. */
export const CI_MINUTES = 85;

/** A part of what CI runs. */
export interface CiPart {
  name: string;
  command: readonly string[];
  /** Its line on CI's machine, which is up to half as slow again as ours; what the parts before it left over is added. */
  minutes: number;
  /** Settings besides CI's own. */
  env?: Readonly<Record<string, string>>;
  /** It is told its minutes (`MINUTES`) and begins nothing that it can not end within them; the part has a minute more. */
  endsItself?: true;
  /** What makes no sense after it failed is not begun. */
  needed?: true;
}

/**
 * In this order. Two suites of `make test` run at a time: all of them in a row take an hour on a quiet machine of two cores,
 * three lanes at a time are more than a shared one bears. Time limits are four times as long as usual.
 */
export const CI_PARTS: readonly CiPart[] = [
  { name: 'verify', command: ['make', 'verify'], minutes: 5, needed: true },
  // Cold: Kubernetes and etcd are compiled. Its API server is a part of `make test` too.
  { name: 'programs', command: ['test/cluster/build.sh'], minutes: 16 },
  { name: 'test', command: ['make', 'test'], minutes: 33, env: { LANES: '2' } },
  { name: 'long', command: ['make', 'test-long'], minutes: 7, env: { SHARE: '1' } },
  // Half the crowd: it fills all places and waits for them twice.
  { name: 'cluster', command: ['make', 'test-cluster'], minutes: 24, env: { CROWD: '100' }, endsItself: true },
];

/** What every part is told. */
export const CI_ENV: Readonly<Record<string, string>> = { CI: 'true', RERUN: '1', PATIENCE: '4' };

/** What a part is told by the environment. @param minutes what it has: its own and those that were left over */
export function settingsOf({ env, endsItself }: CiPart, minutes: number): Record<string, string> {
  return { ...CI_ENV, ...env, ...(endsItself ? { MINUTES: String(minutes - 1) } : {}) };
}
