import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import type { RunReport } from '../../tools/suite-runner.ts';

const ROOT = new URL('../../../', import.meta.url).pathname;
const RUNNER = new URL('../../tools/suite-runner.ts', import.meta.url).pathname;
const PASSES = `it('works', () => undefined);`;
const SKIPS = `describe('a part', () => { before(function () { this.skip(); }); it('is not looked at', () => undefined); });`;

/** Suites by name, each of files by name. */
type Suites = Record<string, Record<string, string>>;

describe('suite runner', function () {
  this.timeout(60_000);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(ROOT, 'test/.suites-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function run(suites: Suites, ci: boolean): { code: number | null; text: string; report: RunReport } {
    for (const files of Object.values(suites))
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.ts`), text);
    const lanes = Object.entries(suites).map(([name, files]) => [
      { name, glob: `${folder}/{${Object.keys(files).join(',')},none}.ts`, seconds: 10 },
    ]);
    const report = join(folder, 'report.json');
    const script = `const { runSuites } = await import(${JSON.stringify(RUNNER)}); await runSuites(${JSON.stringify(lanes)});`;
    const { CI: _ci, ...env } = process.env;
    const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...env, OUTRIDER_REPORT: report, ...(ci ? { CI: 'true' } : {}) },
    });
    return { code: status, text: stdout, report: JSON.parse(readFileSync(report, 'utf8')) as RunReport };
  }

  it('a file that was not run fails CI and is named', () => {
    const { code, text, report } = run({ one: { passes: PASSES, skips: SKIPS } }, true);
    expect(text).to.match(/^NOT RUN .*skips\.ts: none of its tests came to an end$/m);
    expect(text).to.match(/^SKIPPED a part is not looked at$/m);
    expect(text).to.match(/1 passed, 1 failed, 1 skipped/);
    expect(code).to.equal(1);
    expect(report.leftOut).to.have.length(2);
    expect(report.suites.map(({ name }) => name)).to.deep.equal(['one']);
    expect(report.suites[0]?.slowest.map(({ file }) => basename(file))).to.deep.equal(['skips.ts']);
  });
});
