import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { readGiven } from '../../../cmd/outrider/given-file.ts';
import { handedOver } from '../../../cmd/outrider/import.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';

const CLI = new URL('../../../cmd/outrider/main.ts', import.meta.url).pathname;
const PAGE = new URL('../../../docs/importing.md', import.meta.url).pathname;

interface Answer {
  status: string;
  created: number;
  updated: number;
  skipped: number;
  excluded: number;
  uploadUrl?: string;
  errors: { row: number; field: string | null; message: string }[];
}
type Lead = Record<string, string | null>;

/** Rows of the table behind a heading, cells without the marks of code. */
function tableBehind(page: string, heading: string): string[][] {
  const [, rest = ''] = page.split(`## ${heading}\n`);
  const lines = rest.split(/\n## /)[0]?.split('\n') ?? [];
  return lines
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

describe('docs/importing.md: what stands there happens', function () {
  this.timeout(120_000);
  let tools: McpTools;
  let ada: ToolUser;
  let env: NodeJS.ProcessEnv;
  let folder: string;
  let page: string;

  before(async () => {
    page = await readFile(PAGE, 'utf8');
    folder = await mkdtemp(join(tmpdir(), 'outrider-importing-'));
    tools = await startMcpTools();
    const { plaintext } = await tools.mcp.key({ workspaceId: 'acme' });
    ada = tools.user(await tools.mcp.client(plaintext));
    env = { ...process.env, LOG_LEVEL: 'silent', OUTRIDER_URL: tools.mcp.url, OUTRIDER_KEY: plaintext };
  });
  after(async () => {
    await tools.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const imported = (csv: string, more: object = {}): Promise<Answer> =>
    ada.call('svc_import_leads_csv', { csv, ...more });
  const leadOf = async (email: string): Promise<Lead> => {
    const [row] = await tools.rows<{ id: string }>('select id from lead where email = $1', [email]);
    return (await ada.call<{ lead: Lead }>('svc_get_lead', { leadId: row?.id })).lead;
  };
  const outrider = (args: readonly string[]) =>
    promisify(execFile)(process.execPath, [CLI, ...args], { env, cwd: folder }).catch(
      (error: { stderr: string }) => error,
    );

  it('the command of the first lines, with a file that Excel saved in UTF-16', async () => {
    const { leadListId } = await ada.call<{ leadListId: string }>('svc_create_lead_list', { name: 'Fair' });
    const [, command = ''] = /`npx outrider (import people\.csv --list <leadListId>)`/.exec(page) ?? [];
    const csv = 'First Name\tEmail\nJürgen\tj@cli.example\n';
    await writeFile(join(folder, 'people.csv'), Buffer.from(`\uFEFF${csv}`, 'utf16le'));
    const args = command.replace('<leadListId>', leadListId).split(' ');
    const { stdout } = (await outrider([...args, '--workspace', 'acme'])) as { stdout: string };
    expect(JSON.parse(stdout)).to.include({ status: 'completed', created: 1 });
    expect(await leadOf('j@cli.example')).to.include({ firstName: 'Jürgen' });
    const { leads } = await ada.call<{ leads: object[] }>('svc_search_leads', { leadListId });
    expect(leads).to.have.length(1);
  });

  it('outrider call takes its input from a file and from a pipe, and says what is wrong with either', async () => {
    await writeFile(join(folder, 'input.json'), '\uFEFF{"query": "Jurgen"}');
    const { stdout } = (await outrider(['call', 'svc_search_leads', '@input.json'])) as { stdout: string };
    expect(JSON.parse(stdout).leads).to.have.length(1);
    const piped = spawn(process.execPath, [CLI, 'call', 'svc_search_leads', '-'], { env, cwd: folder });
    const answer = text(piped.stdout);
    piped.stdin.end('{"query": "nobody of this name"}');
    expect(JSON.parse(await answer).leads).to.deep.equal([]);
    const missing = await readGiven(join(folder, 'missing.json')).catch((error: Error) => error.message);
    expect(missing).to.match(/^There is no file ".*missing\.json"/);
  });

  it('outrider import puts a file of more rows than a call takes where the tool fetches it', async () => {
    const before = { ...process.env };
    Object.assign(process.env, { OUTRIDER_URL: env['OUTRIDER_URL'], OUTRIDER_KEY: env['OUTRIDER_KEY'] });
    try {
      const rows = Array.from({ length: 10_001 }, (_, index) => `big${index}@big.example`);
      const taken = (await handedOver('acme', `Email\n${rows.join('\n')}\n`)) as { csvUrl: string };
      expect(taken.csvUrl).to.match(/^http:/);
      expect(await tools.force(`select state = 'received' as there from lead_upload`)).to.deep.include({ there: true });
      expect(await handedOver('acme', 'Email\na@big.example\n')).to.deep.equal({ csv: 'Email\na@big.example\n' });
    } finally {
      process.env = before;
    }
  });

  it('the upload by curl, and the call with it as csvUrl', async () => {
    const [, command = ''] = /```sh\n(curl [^\n]+)\n```/.exec(page) ?? [];
    const { uploadUrl } = await ada.call<Answer>('svc_import_leads_csv', {});
    await writeFile(join(folder, 'people.csv'), 'First Name,Email\nCurly,curly@upload.example\n');
    await promisify(execFile)('sh', ['-ec', command], { cwd: folder, env: { ...env, uploadUrl } });
    expect(await ada.call<Answer>('svc_import_leads_csv', { csvUrl: uploadUrl })).to.include({ created: 1 });
  });

  it('each column that says who said no excludes as the table says, and counts', async () => {
    const rows = tableBehind(page, 'Who said no');
    expect(rows.map(([target]) => target)).to.deep.equal([
      '`doNotContact`',
      '`unsubscribed`',
      '`bounced`',
      '`contactStatus`',
      '`consent`',
    ]);
    const asked = rows.flatMap(([target = '', columns = '', source = '']) =>
      (columns.split(/ …|, where| with a(?:ny)?/)[0] ?? '')
        .split(', ')
        .map((column) => ({ target, column: column.replaceAll('`', ''), source: /`(\w+)`/.exec(source)?.[1] })),
    );
    for (const [index, { target, column, source }] of asked.entries()) {
      const email = `no${index}@said.example`;
      const cell = target === '`contactStatus`' ? 'Unsubscribed' : target === '`consent`' ? 'no' : 'yes';
      const { created, excluded } = await imported(`Email,${column}\n${email},${cell}\n`);
      expect([column, created, excluded]).to.deep.equal([column, 1, 1]);
      const [row] = await tools.rows<{ source: string }>(
        `select s.source from suppression s join lead l on s.person_id = l.person_id or s.value = l.email where l.email = $1`,
        [email],
      );
      const wanted = target === '`contactStatus`' ? 'unsubscribe' : target === '`bounced`' ? 'bounce' : source;
      if (row) expect([column, row.source]).to.deep.equal([column, wanted]);
    }
    const columnOf = await imported('Email,Marketing consent\nask@said.example,whatever\n');
    expect(columnOf.errors[0]?.message).to.include('Marketing consent');
  });

  it('cells that are not what they should be are read as the table says', async () => {
    expect(tableBehind(page, 'Cells that are not what they should be').map(([cell]) => cell)).to.deep.equal([
      'mail address',
      'profile',
      'website',
      'time zone',
      'damaged text (`JÃ¼rgen`)',
    ]);
    const head = 'First Name,Last Name,Email,LinkedIn,Website,Timezone,Country';
    const csv = `${head}
Ida,Roth,"ida@cells.example; ida.roth@cells.example",linkedin.com/in/ida-roth,https://www.cells.example/about,W. Europe Standard Time,
JÃ¼rgen,Baum,j@other.example,facebook.com/juergen,facebook.com/other,CET,Deutschland
`;
    const answer = await imported(csv);
    expect(answer).to.include({ created: 2, skipped: 0 });
    expect(answer.errors.map(({ field }) => field)).to.include.members(['timezone', 'profileUrl']);
    const ida = await leadOf('ida@cells.example');
    expect(ida).to.include({ timezone: 'Europe/Berlin' });
    const domainOf = (email: string) =>
      tools.rows<{ domain: string }>('select company_domain as domain from lead where email = $1', [email]);
    expect(await domainOf('ida@cells.example')).to.deep.equal([{ domain: 'cells.example' }]);
    expect(ida['profileUrl']).to.include('linkedin.com/in/ida-roth');
    const other = await leadOf('j@other.example');
    expect(other).to.include({ profileUrl: '' });
    expect(await domainOf('j@other.example'), 'of the address, since a network is nobody’s website').to.deep.equal([
      { domain: 'other.example' },
    ]);
    expect(answer.errors.some(({ message }) => /damaged/i.test(message))).to.equal(true);
  });

  it('names: the record keeps what was given, the greeting is clean', async () => {
    await imported('First Name,Last Name,Email\nDR. ANNA,SCHMIDT PhD,anna@names.example\n');
    const lead = await leadOf('anna@names.example');
    expect(lead).to.include({ firstName: 'DR. ANNA', greetingName: 'Anna' });
  });
});

async function text(stream: NodeJS.ReadableStream): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}
