import { checkOut } from '../tools/released-program.ts';
import { packHome, writeHome } from './home-archive.ts';
import { BEGIN, live } from './life.ts';
import { OldHome } from './old-home.ts';
import { SlowWriter } from './slow-writer.ts';

/**
 * Stores a home that the program of a commit made and left in the middle of its work: `node test/upgrade/make-home.ts <commit>`.
 * Each release gets one, so that the next ones can be upgraded to; it takes some minutes.
 */
const [commit] = process.argv.slice(2);
if (commit === undefined) throw new Error('Name the commit of a release: node test/upgrade/make-home.ts <commit>');
const program = await checkOut(commit);
const writer = await SlowWriter.open();
let home: OldHome | undefined;
try {
  home = await OldHome.start(program.folder, BEGIN, writer.settings);
  writer.behind = { url: home.connection.sandboxUrl, key: (await home.secrets()).sandboxApiKey };
  await live(home, writer);
  const { folder } = home;
  const running = home;
  const stored = await packHome({
    folder,
    program: program.folder,
    commit,
    databaseUrl: (database) => running.databaseUrl(database),
  });
  const bytes = await writeHome(stored, folder);
  console.log(`a home of ${stored.version} is stored in ${Math.round(bytes / 1_024)} KB`);
} finally {
  writer.close();
  await home?.remove();
  await program.remove();
}
process.exit(0);
