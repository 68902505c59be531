import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
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

/** Reasons and types as the code spells them: literals of two words and more, and those that stand as a reason. */
function namesInCode(): Set<string> {
  const files = [
    ...globSync(join(CHECKOUT, 'pkg/controllers/**/*.ts')),
    ...['project-workspace', 'project-campaign', 'project-workflow', 'projection', 'graph-checker', 'node-removal'].map(
      (name) => join(CHECKOUT, `pkg/store/${name}.ts`),
    ),
    join(CHECKOUT, 'pkg/api/object.ts'),
    join(CHECKOUT, 'pkg/tools/resources/graph-checker.ts'),
  ].filter((file) => existsSync(file));
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  const patterns = [
    /'([A-Z][a-z]+(?:[A-Z][a-z]+)+)'/g,
    /'(?:True|False|Unknown)', '([A-Z][A-Za-z]+)'/g,
    /\breason: '([A-Z][A-Za-z]+)'/g,
  ];
  return new Set(patterns.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? '')));
}

/** Words of Kubernetes that are neither a condition, a reason nor an event of ours. */
const NOT_OURS = new Set(['RuntimeDefault', 'PodScheduled', 'ContainerCreating', 'PodInitializing', 'IfNotPresent']);

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
    const code = namesInCode();
    expect(
      [...code].filter((name) => !explained.has(name) && !NOT_OURS.has(name)),
      'not explained',
    ).to.deep.equal([]);
    const everything = globSync(join(CHECKOUT, 'pkg/**/*.ts'))
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    const invented = [...explained].filter((name) => !new RegExp(`['"\`]${name}['":\`]`).test(everything));
    expect(invented, 'explained and nowhere in the code').to.deep.equal([]);
  });
});
