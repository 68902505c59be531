import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { CONDITION_REASONS, CONDITION_TYPES, EVENT_REASONS, POD_REASONS } from '../../../pkg/api/condition-words.ts';
import { kubernetesTools } from '../../tools/kubectl.ts';
import { commandBlocks, PAGES, pageText } from '../../tools/platform-docs.ts';

const CHECKOUT = new URL('../../../', import.meta.url).pathname;
const blocks = PAGES.flatMap(commandBlocks);

async function shell(line: string): Promise<{ code: number; text: string }> {
  const { helm } = await kubernetesTools();
  const env = { PATH: `${dirname(helm)}:${process.env['PATH']}`, HOME: '/nonexistent' };
  return new Promise((resolve) => {
    execFile(
      'sh',
      ['-c', line],
      { cwd: CHECKOUT, env, timeout: 60_000, maxBuffer: 16 * 1_024 * 1_024 },
      (error, out, err) => resolve({ code: error ? 1 : 0, text: out + err }),
    );
  });
}

/** Every word that the operator itself says of an object; the compiler lets no other into a condition or an event. */
const OWN_WORDS = [...CONDITION_TYPES, ...CONDITION_REASONS, ...POD_REASONS, ...Object.keys(EVENT_REASONS)];

/** With `--reuse-values` a value that only the new chart knows is nil in its templates (test/integration/kubeapi/kubectl.test.ts). */
const KEEPS_VALUES = '--reset-then-reuse-values';

describe('pages for platform engineers', function () {
  this.timeout(60_000);

  it('every block of commands says how it is proven', () => {
    expect(blocks.length).to.be.greaterThan(20);
    for (const { page, marker, lines } of blocks) expect(marker, `${page}: ${lines[0]}`).to.not.equal('unmarked');
  });

  it('what renders the chart works as it stands there', async () => {
    const lines = blocks.filter(({ marker }) => marker === 'run: render').flatMap((block) => block.lines);
    expect(lines).to.not.have.length(0);
    await Promise.all(
      lines.map(async (line) => {
        const { code, text } = await shell(line);
        expect(code, `${line}: ${text.slice(-2_000)}`).to.equal(0);
        expect(text, line).to.not.equal('');
      }),
    );
  });

  it('installs and upgrades that need a cluster render with their values', async () => {
    const lines = blocks.filter(({ marker }) => marker === 'needs: cluster').flatMap((block) => block.lines);
    const helm = lines.filter((line) => /^helm (install|upgrade)/.test(line));
    expect(helm.length).to.be.greaterThan(2);
    await Promise.all(
      helm.map(async (line) => {
        const database = line.includes('database.existingSecret') ? '' : ' --set database.existingSecret=outrider-db';
        const rendered = line
          .replace(/^helm (install|upgrade( --install)?)/, 'helm template')
          .replace(` ${KEEPS_VALUES}`, '');
        const { code, text } = await shell(rendered + database);
        expect(code, `${line}: ${text.slice(-2_000)}`).to.equal(0);
      }),
    );
  });

  it('an upgrade that keeps its values takes the defaults of the new chart along', () => {
    const upgrades = blocks.flatMap(({ lines }) => lines).filter((line) => /^helm upgrade.*-reuse-values/.test(line));
    expect(upgrades.length).to.be.greaterThan(1);
    for (const line of upgrades) expect(line.split(' ')).to.include(KEEPS_VALUES);
  });

  it('every link leads somewhere, and the README leads to every page', () => {
    const readme = readFileSync(join(CHECKOUT, 'README.md'), 'utf8');
    for (const page of PAGES) {
      expect(readme, page).to.contain(`docs/${page}`);
      const prose = pageText(page).replaceAll(/`[^`\n]*`/g, '');
      for (const [, target = ''] of prose.matchAll(/\]\(([^)#:]+)\)/g))
        expect(existsSync(join(CHECKOUT, 'docs', target)), `${page}: ${target}`).to.equal(true);
    }
    for (const file of globSync(join(CHECKOUT, 'docs/runbooks/*.md'))) {
      for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(/\]\(([^)#:]+)\)/g))
        expect(existsSync(join(dirname(file), target)), `${file}: ${target}`).to.equal(true);
    }
  });

  it('tests and files that a page calls as its witness exist, with the cases that it names', () => {
    const page = pageText('backup-restore.md');
    const rows = [...page.matchAll(/`(test\/[^`]+)`: \*([^*]+)\*/g)];
    expect(rows.length).to.be.greaterThan(4);
    for (const [, file = '', name = ''] of rows) {
      expect(readFileSync(join(CHECKOUT, file), 'utf8'), `${file}: ${name}`).to.contain(name);
    }
    for (const [, file = ''] of pageText('capability-levels.md').matchAll(/`((?:test|crds)\/[^`*]*)`/g))
      expect(existsSync(join(CHECKOUT, file)), file).to.equal(true);
  });

  it('every condition, reason and event of the code is explained, and none that does not exist', () => {
    const page = pageText('conditions.md');
    const explained = new Set(
      [...page.matchAll(/^\| (`[A-Za-z]+`(?:, `[A-Za-z]+`)*) \|/gm)].flatMap(([, names = '']) =>
        [...names.matchAll(/`([A-Za-z]+)`/g)].map((match) => match[1] ?? ''),
      ),
    );
    expect(
      OWN_WORDS.filter((name) => !explained.has(name)),
      'not explained',
    ).to.deep.equal([]);
    const invented = [...explained].filter((name) => !OWN_WORDS.includes(name));
    expect(invented, 'explained and nowhere in the code').to.deep.equal([]);
  });
});
