import { checkOut } from '../tools/released-program.ts';
import { BEGIN, live } from './life.ts';
import { OldHome } from './old-home.ts';
import { SlowWriter } from './slow-writer.ts';

const [commit = 'f5a07fec'] = process.argv.slice(2);
const program = process.env['PROGRAM']
  ? { folder: process.env['PROGRAM'], remove: async () => undefined }
  : await checkOut(commit);
const writer = await SlowWriter.open();
let home: OldHome | undefined;
try {
  home = await OldHome.start(program.folder, BEGIN, writer.settings);
  console.log(home.folder);
  writer.behind = { url: home.connection.sandboxUrl, key: (await home.secrets()).sandboxApiKey };
  await live(home, writer);
  console.log('lived');
  await new Promise((r) => process.once('SIGUSR2', r));
} catch (e) {
  console.log('FAILED', e);
  await new Promise((r) => process.once('SIGUSR2', r));
} finally {
  writer.close();
  await home?.remove();
  await program.remove();
}
