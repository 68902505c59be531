import { type Migration, readMigrations } from '../../postgres/migrate.ts';
import { MIGRATIONS_FOLDER } from '../../store/migrations.ts';
import { type DoctorCheck, type Finding, problem } from './finding.ts';

/** Whether the schema is the one that this program was written for. */
export const migrations: DoctorCheck = {
  name: 'the schema is up to date',
  async run({ tx }): Promise<Finding[]> {
    const applied = await tx.rows<{ version: number; name: string; checksum: string }>(
      'select version, name, checksum from public.outrider_migration order by version',
    );
    return compare(applied, await readMigrations(MIGRATIONS_FOLDER));
  },
};

function compare(
  applied: readonly { version: number; name: string; checksum: string }[],
  wanted: Migration[],
): Finding[] {
  const known = new Map(applied.map((row) => [row.version, row]));
  const files = new Set(wanted.map((migration) => migration.version));
  const missing = wanted.filter((migration) => !known.has(migration.version));
  const changed = wanted.filter(
    (migration) => (known.get(migration.version)?.checksum ?? migration.checksum) !== migration.checksum,
  );
  const foreign = applied.filter((row) => !files.has(row.version));
  const found: Finding[] = [];
  if (missing.length > 0) {
    const names = missing.map((migration) => migration.name).join(', ');
    found.push(
      problem(
        'migrations',
        `Migrations are not applied: ${names}.`,
        'Run outrider migrate; it says why one fails, and leaves nothing half done.',
      ),
    );
  }
  for (const { name } of changed) {
    found.push(
      problem(
        'migrations',
        `Migration ${name} is another one than was applied.`,
        'Run the program that belongs to this database.',
      ),
    );
  }
  for (const { name } of foreign) {
    found.push(
      problem(
        'migrations',
        `The database has migration ${name}, which this program does not know.`,
        'Run the newer version of Outrider.',
      ),
    );
  }
  return found;
}
