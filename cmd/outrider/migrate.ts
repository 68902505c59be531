import type { Command } from 'commander';
import { UserError } from '../../pkg/base/errors.ts';
import { migrateSchema } from '../../pkg/store/migrations.ts';

/** `outrider migrate`: brings a database's schema up to date; the address comes by environment, never as an argument. */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the schema of OWNER_DATABASE_URL up to date')
    .action(async () => {
      const url = process.env['OWNER_DATABASE_URL'];
      if (!url) throw new UserError('Set OWNER_DATABASE_URL to the connection string of the role outrider_owner.');
      const applied = await migrateSchema(url);
      console.log(applied.length === 0 ? 'The schema is up to date.' : `Applied: ${applied.join(', ')}`);
    });
}
