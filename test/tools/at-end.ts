const enders: (() => Promise<unknown>)[] = [];

/** Has something ended that several files share, once all tests of the process are through and before its Postgres goes. */
export function atEnd(end: () => Promise<unknown>): void {
  enders.push(end);
}

/** Ends what {@link atEnd} was told of, the last first. */
export async function endShared(): Promise<void> {
  for (let end = enders.pop(); end; end = enders.pop()) await end();
}
