import type { Migration } from '../../pkg/postgres/sql-files.ts';

/** Version -> name -> checksum of the migrations that came with it. */
export type ReleasedMigrations = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * What is wrong with the migrations of a program that follows these releases: databases out there have applied them, so each is there
 * as it was, and what is new comes after all of them.
 * @returns a sentence for each, none when all is well
 */
export function migrationProblems(migrations: readonly Migration[], released: ReleasedMigrations): string[] {
  const known = new Map(
    Object.entries(released).flatMap(([version, all]) =>
      Object.entries(all).map(([name, checksum]) => [name, { version, checksum }] as const),
    ),
  );
  const present = new Map(migrations.map((one) => [one.name, one]));
  const newest = Math.max(0, ...[...known.keys()].map(numberOf));
  const changed = [...known].flatMap(([name, { version, checksum }]) => {
    const now = present.get(name);
    if (!now) return [`Migration ${name} was released with ${version} and is gone. Restore it.`];
    if (now.checksum === checksum) return [];
    return [
      `Migration ${name} was released with ${version} and has changed. Restore it, and put the change into a new one.`,
    ];
  });
  const early = migrations
    .filter(({ name, version }) => !known.has(name) && version <= newest)
    .map(
      ({ name }) =>
        `Migration ${name} is new and needs a number above ${newest}: a database may have passed its place.`,
    );
  return [...changed, ...early];
}

/** The releases with one more; a version that is named already gets what it brings now. */
export function withRelease(
  released: ReleasedMigrations,
  version: string,
  migrations: readonly Migration[],
): ReleasedMigrations {
  const earlier = Object.fromEntries(Object.entries(released).filter(([name]) => name !== version));
  const known = new Set(Object.values(earlier).flatMap((all) => Object.keys(all)));
  const added = migrations
    .filter(({ name }) => !known.has(name))
    .map(({ name, checksum }) => [name, checksum] as const);
  return { ...earlier, [version]: Object.fromEntries(added) };
}

function numberOf(name: string): number {
  return Number(name.slice(0, 4));
}
