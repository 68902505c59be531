import { Command } from 'commander';
import { messageOf } from '../../pkg/base/errors.ts';
import { PROGRAM_VERSION } from '../../pkg/base/program-version.ts';
import { addAdminCommand } from './admin.ts';
import { addAdoptCommand } from './adopt.ts';
import { addAuditCommand } from './audit.ts';
import { addCallCommand } from './call.ts';
import { addClaimCommand } from './claim.ts';
import { addClockCommand } from './clock.ts';
import { addDeletionsCommand } from './deletions.ts';
import { addDemoCommand } from './demo.ts';
import { addDetachCommand } from './detach.ts';
import { addDoctorCommand } from './doctor.ts';
import { addFirstKeyCommand } from './first-key.ts';
import { addImportCommand } from './import.ts';
import { addKeysCommand } from './keys.ts';
import { addMailboxCommand } from './mailbox.ts';
import { addMailsCommand } from './mails.ts';
import { addMembersCommand } from './members.ts';
import { addMigrateCommand } from './migrate.ts';
import { addPersonsCommand } from './persons.ts';
import { addReconcileCommand } from './reconcile.ts';
import { addReleaseFieldCommand } from './release-field.ts';
import { addResealCommand } from './reseal.ts';
import { addSchemaCommand } from './schema.ts';
import { addUpCommand } from './up.ts';

const program = new Command('outrider')
  .version(PROGRAM_VERSION)
  .description('Command line of Outrider. The data folder is OUTRIDER_HOME (default .outrider).')
  .showHelpAfterError('(outrider --help lists the commands)');
for (const add of [
  addUpCommand,
  addClaimCommand,
  addClockCommand,
  addDemoCommand,
  addCallCommand,
  addImportCommand,
  addKeysCommand,
  addMembersCommand,
  addMailboxCommand,
  addMailsCommand,
  addPersonsCommand,
  addDoctorCommand,
  addReconcileCommand,
  addAdoptCommand,
  addDeletionsCommand,
  addReleaseFieldCommand,
  addResealCommand,
  addMigrateCommand,
  addSchemaCommand,
  addFirstKeyCommand,
  addDetachCommand,
  addAuditCommand,
  addAdminCommand,
]) {
  add(program);
}
try {
  await program.parseAsync();
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
}
