import type { Command } from 'commander';
import { z } from 'zod';
import { parseEnv } from '../../pkg/base/config.ts';
import { Database } from '../../pkg/postgres/database.ts';
import { verifyAudit } from '../../pkg/store/audit/verify-audit.ts';

const settings = z.object({ DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }) });

/** `outrider audit verify`: whether any record of the audit log was changed or taken away, and which first. */
export function addAuditCommand(program: Command): void {
  const audit = program.command('audit').description('the log of all calls');
  audit
    .command('verify')
    .description('check every link of the audit log of DATABASE_URL; exit code 2 names the first broken one')
    .action(async () => {
      const { DATABASE_URL } = parseEnv(settings, process.env);
      const db = new Database({ url: DATABASE_URL, max: 1, applicationName: 'outrider-audit' });
      try {
        const { records, chains, broken, gaps } = await verifyAudit(db);
        for (const gap of gaps) console.log(`gap: ${gap}`);
        if (broken === null) console.log(`${records} records in ${chains} chains: every link holds.`);
        else console.log(`BROKEN ${broken}`);
        if (broken !== null) process.exitCode = 2;
      } finally {
        await db.close();
      }
    });
}
