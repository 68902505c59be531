import type { Command } from 'commander';
import { z } from 'zod';
import { parseEnv } from '../../pkg/base/config.ts';
import { UserError } from '../../pkg/base/errors.ts';
import { bootstrapRoles } from '../../pkg/postgres/roles.ts';
import { migrateSchema } from '../../pkg/store/migrations.ts';

const address = z.url({ protocol: /^postgres(ql)?$/ });
const settings = z.object({
  OWNER_DATABASE_URL: address,
  /** Makes the roles and the database first; the passwords are those of the other addresses. */
  SUPERUSER_DATABASE_URL: address.optional(),
  APP_DATABASE_URL: address.optional(),
  EXECUTOR_DATABASE_URL: address.optional(),
});

/** `outrider migrate`: brings a database's schema up to date; addresses come by environment, never as arguments. */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('bring the schema of OWNER_DATABASE_URL up to date; with SUPERUSER_DATABASE_URL make its roles first')
    .action(async () => {
      if (!process.env['OWNER_DATABASE_URL']) {
        throw new UserError('Set OWNER_DATABASE_URL to the connection string of the role outrider_owner.');
      }
      const env = parseEnv(settings, process.env);
      if (env.SUPERUSER_DATABASE_URL) await makeRoles(env.SUPERUSER_DATABASE_URL, env);
      const applied = await migrateSchema(env.OWNER_DATABASE_URL);
      console.log(applied.length === 0 ? 'The schema is up to date.' : `Applied: ${applied.join(', ')}`);
    });
}

async function makeRoles(superuserUrl: string, env: z.infer<typeof settings>): Promise<void> {
  const { OWNER_DATABASE_URL, APP_DATABASE_URL, EXECUTOR_DATABASE_URL } = env;
  if (!APP_DATABASE_URL || !EXECUTOR_DATABASE_URL) {
    throw new UserError('SUPERUSER_DATABASE_URL makes the roles: set APP_DATABASE_URL and EXECUTOR_DATABASE_URL too.');
  }
  await bootstrapRoles(superuserUrl, new URL(OWNER_DATABASE_URL).pathname.slice(1), {
    owner: passwordOf(OWNER_DATABASE_URL, 'outrider_owner'),
    app: passwordOf(APP_DATABASE_URL, 'outrider_app'),
    executor: passwordOf(EXECUTOR_DATABASE_URL, 'outrider_executor'),
  });
  console.log('The roles outrider_owner, outrider_app and outrider_executor are there.');
}

function passwordOf(url: string, role: string): string {
  const { username, password } = new URL(url);
  if (decodeURIComponent(username) !== role || password === '') {
    throw new UserError(`The address for ${role} must name this role and its password.`);
  }
  return decodeURIComponent(password);
}
