import { globSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { inputSchemaOf } from '../../pkg/mcp/tool-list.ts';
import { ALL_TOOLS } from '../../pkg/tools/registry.ts';
import { CATALOG } from './catalog.ts';

const built = new Set<string>(ALL_TOOLS.map((entry) => entry.name));
const known = new Set(CATALOG.tools.map((entry) => entry.name));
const unbuilt = (text: string): string[] =>
  [...text.matchAll(/svc_[a-z_]*[a-z]/g)].map(([name]) => name).filter((name) => !built.has(name));

describe('contract: texts name only tools that exist', () => {
  it('descriptions and parameter descriptions', () => {
    const wrong = ALL_TOOLS.flatMap((entry) =>
      unbuilt(`${entry.description} ${JSON.stringify(inputSchemaOf(entry))}`).map((name) => `${entry.name}: ${name}`),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('literals of the source that may become an answer', () => {
    const root = new URL('../../', import.meta.url).pathname;
    const wrong: string[] = [];
    for (const file of globSync('{pkg,cmd}/**/*.ts', { cwd: root })) {
      const code = readFileSync(`${root}${file}`, 'utf8')
        .replace(/\/\*[\s\S]*?\*\//g, '')
        .replace(/^\s*\/\/.*$/gm, '');
      for (const name of unbuilt(code))
        wrong.push(`${file}: ${name}${known.has(name) ? '' : ' (not even in the catalog)'}`);
    }
    expect(wrong).to.deep.equal([]);
  });
});
