import { readSchema, type Schema } from '../../store/migrations.ts';
import { type DoctorCheck, type Finding, problem } from './finding.ts';

interface Applied {
  version: number;
  name: string;
  checksum: string;
}

/** Whether the schema is the one that this program was written for. */
export const migrations: DoctorCheck = {
  name: 'the schema is up to date',
  async run({ tx }): Promise<Finding[]> {
    const applied = await tx.rows<Applied>(
      'select version, name, checksum from public.outrider_migration order by version',
    );
    const sets = await tx.rows<{ checksum: string }>(
      'select checksum from public.outrider_function_set order by applied_at desc limit 1',
    );
    const schema = await readSchema();
    return [...compare(applied, schema.migrations), ...compareFunctions(sets[0]?.checksum, schema.functions.checksum)];
  },
};

function compare(applied: readonly Applied[], wanted: Schema['migrations']): Finding[] {
  const known = new Map(applied.map((row) => [row.version, row]));
  const newest = wanted.at(-1)?.version ?? 0;
  const missing = wanted.filter((migration) => !known.has(migration.version));
  const changed = wanted.filter(
    (migration) => (known.get(migration.version)?.checksum ?? migration.checksum) !== migration.checksum,
  );
  const foreign = applied.filter((row) => row.version > newest);
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

function compareFunctions(applied: string | undefined, wanted: string): Finding[] {
  if (applied === wanted) return [];
  return [
    problem(
      'migrations',
      `The functions of the database are those of another version of Outrider than this one.`,
      'Run outrider migrate of the version that works on this database.',
    ),
  ];
}
