import { execFile } from 'node:child_process';
import { access, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { extract } from 'tar-stream';

const run = promisify(execFile);
const ROOT = new URL('../../../', import.meta.url).pathname;
const MAX_MEGABYTES = 120;

interface Config {
  User: string;
  WorkingDir: string;
  Entrypoint: string[];
  Cmd: string[];
  Env: string[];
}

/** `make image` and what a container engine builds from the Dockerfile are the same image. */
describe('image', function () {
  this.timeout(240_000);
  let folder: string;
  let config: Config;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outrider-image-test-'));
    await build(['one.tar']);
    config = await configOf(join(folder, 'one.tar'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const build = ([file = '', ...more]: string[], umask = 0o022): Promise<{ stdout: string }> => {
    const command = `umask ${umask.toString(8)}; exec "$0" cmd/image/main.ts "$@"`;
    const path = file.startsWith('-') ? [file, ...more] : [join(folder, file), ...more];
    return run('sh', ['-c', command, process.execPath, ...path], { cwd: ROOT, timeout: 200_000 });
  };

  it(`is made of the same bytes each time, no matter who builds it, and at most ${MAX_MEGABYTES} MB`, async () => {
    await build(['two.tar'], 0o077);
    const [one, two] = await Promise.all(['one.tar', 'two.tar'].map((file) => readFile(join(folder, file))));
    expect(one?.equals(two ?? Buffer.alloc(0))).to.equal(true);
    expect((await stat(join(folder, 'one.tar'))).size / 1e6).to.be.lessThan(MAX_MEGABYTES);
  });

  it('runs as nobody in particular, needs no shell and has none', async () => {
    await build(['--rootfs', join(folder, 'root')]);
    expect(config.User).to.equal('65532:65532');
    expect(await readdir(join(folder, 'root/usr/local/bin'))).to.deep.equal(['node']);
    for (const place of ['bin', 'usr/bin', 'sbin'])
      expect(await access(join(folder, 'root', place)).then(String, String), place).to.include('ENOENT');
    expect((await stat(join(folder, 'root/tmp'))).mode & 0o7777).to.equal(0o1777);
    const program = join(folder, 'root/app/cmd/outrider/main.mjs');
    const { stdout } = await run(join(folder, 'root/usr/local/bin/node'), [program, '--help'], { timeout: 20_000 });
    expect(stdout).to.include('outrider');
  });

  it('an executor that mails nobody reads no mail library, and its program takes one byte for each character', async () => {
    const executor = join(folder, 'root/app/cmd/executor');
    const programs = (await readdir(executor)).filter((name) => name.endsWith('.mjs'));
    const texts = await Promise.all(programs.map((name) => readFile(join(executor, name), 'latin1')));
    const mailing = programs.filter((_name, index) => texts[index]?.includes('STARTTLS'));
    expect(mailing).to.have.length.greaterThan(0);
    expect(mailing).not.to.include('main.mjs');
    for (const text of texts) expect(text).not.to.match(/[^\0-\x7f]/);
    // Of the schema library's fifty languages what is loaded at its start holds English, also where a part for later shares it.
    const textOf = (name: string): string => texts[programs.indexOf(name)] ?? '';
    const atStart = new Set(['main.mjs']);
    for (const name of atStart)
      for (const [, part = ''] of textOf(name).matchAll(/\bfrom ?"\.\/([\w-]+\.mjs)"/g)) atStart.add(part);
    const main = [...atStart].map(textOf).join('\n');
    expect(main).to.include('Invalid input').and.not.include('Eingabe');
    // Nor does it load what only a process needs that asks a language model.
    expect(main).to.not.include('AI_NoObjectGeneratedError');
    expect(texts.some((text) => text.includes('AI_NoObjectGeneratedError'))).to.equal(true);
  });

  it('the Dockerfile lays out the same files and says the same about them', async () => {
    const lines = (await readFile(join(ROOT, 'Dockerfile'), 'utf8')).split('\n');
    const final = lines.slice(lines.lastIndexOf('FROM scratch'));
    const said = (word: string): string =>
      final.find((line) => line.startsWith(`${word} `))?.slice(word.length + 1) ?? '';
    expect(said('COPY')).to.equal('--from=build /out /');
    expect(lines.join('\n')).to.include('cmd/image/main.ts --rootfs /out');
    expect({
      User: said('USER'),
      WorkingDir: said('WORKDIR'),
      Entrypoint: JSON.parse(said('ENTRYPOINT')),
      Cmd: JSON.parse(said('CMD')),
      Env: said('ENV').split(' '),
    }).to.deep.equal({
      User: config.User,
      WorkingDir: config.WorkingDir,
      Entrypoint: config.Entrypoint,
      Cmd: config.Cmd,
      Env: config.Env,
    });
  });
});

/** What the image says about itself. */
async function configOf(file: string): Promise<Config> {
  const blobs = new Map<string, string>();
  const unpack = extract();
  unpack.end(await readFile(file));
  for await (const entry of unpack) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    if ((entry.header.size ?? 0) < 100_000) blobs.set(entry.header.name, Buffer.concat(chunks).toString('utf8'));
  }
  const blob = (digest: string): string => blobs.get(`blobs/sha256/${digest.slice('sha256:'.length)}`) ?? '{}';
  const index = JSON.parse(blobs.get('index.json') ?? '{}') as { manifests: { digest: string }[] };
  const manifest = JSON.parse(blob(index.manifests[0]?.digest ?? '')) as { config: { digest: string } };
  return (JSON.parse(blob(manifest.config.digest)) as { config: Config }).config;
}
