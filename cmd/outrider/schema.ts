import type { Command } from 'commander';
import { z } from 'zod';
import { sleepReal } from '../../pkg/base/clock.ts';
import { parseEnv } from '../../pkg/base/config.ts';
import { UserError } from '../../pkg/base/errors.ts';
import { Database } from '../../pkg/postgres/database.ts';
import { missingMigrations, readSchema } from '../../pkg/store/migrations.ts';

const settings = z.object({ DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }) });

const PAUSE_MS = 1_000;

/** `outrider schema`: whether the database's schema is this program's; pods wait for it before they start. */
export function addSchemaCommand(program: Command): void {
  program
    .command('schema')
    .description('check that the schema of DATABASE_URL is up to date')
    .option('--wait <seconds>', 'wait up to so long until it is', '0')
    .action(async (options: { wait: string }) => {
      const env = parseEnv(settings, process.env);
      const tries = 1 + Math.ceil((Math.max(0, Number(options.wait) || 0) * 1_000) / PAUSE_MS);
      const db = new Database({ url: env.DATABASE_URL, max: 1, applicationName: 'outrider-schema' });
      try {
        await waitForSchema(db, tries);
        console.log('The schema is up to date.');
      } finally {
        await db.close();
      }
    });
}

async function waitForSchema(db: Database, tries: number): Promise<void> {
  const schema = await readSchema();
  for (let attempt = 1; ; attempt++) {
    const problem = await missingMigrations(db, schema).then(
      (missing) => (missing.length === 0 ? undefined : `it lacks ${missing.join(', ')}`),
      (error: unknown) => `the database cannot be asked (${(error as { code?: string }).code ?? 'no answer'})`,
    );
    if (problem === undefined) return;
    if (attempt >= tries) throw new UserError(`The schema is not up to date: ${problem}. Run: outrider migrate`);
    if (attempt === 1) console.log(`Waiting for the schema: ${problem}.`);
    await sleepReal(PAUSE_MS);
  }
}
