import { existsSync, globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect } from 'chai';
import { CHECKOUT, NEWCOMER_PAGES, namesIn, textOf } from '../../tools/newcomer-docs.ts';

const ROOMS = /^(?:pkg|cmd|test|docs|crds|charts)\//;
const files = globSync('{pkg,cmd,test,docs,charts,crds}/**/*.*', { cwd: CHECKOUT }).filter(
  (file) => !file.includes('node_modules'),
);
const byName = Map.groupBy(files, (file) => basename(file));
const code = files.filter((file) => /^(?:pkg|cmd|test)\/.*\.ts$/.test(file)).map(textOf);
const sql = files.filter((file) => file.endsWith('.sql')).map(textOf);

/** Whether a path, which may hold `*` or `<name>`, leads somewhere. */
function leads(path: string): boolean {
  const pattern = path.replaceAll(/<\w+>/g, '*').replace(/\/$/, '');
  return pattern.includes('*') || pattern.includes('{')
    ? globSync(pattern, { cwd: CHECKOUT }).length > 0
    : existsSync(join(CHECKOUT, pattern));
}

/** Whether a function, or a method of a class, is declared anywhere. */
function isDeclared(name: string): boolean {
  const [owner, own = owner] = name.split('.');
  const declaration = new RegExp(
    `(?:function|const) ${own}\\b|^\\s+(?:static |async |get |readonly )*#?${own}(?:<[^>]*>)?\\(.*\\{$|^\\s+${own}\\??: |^\\s+(?:async )?${own}\\((?:.*;)?$`,
    'm',
  );
  const within = owner === own ? code : code.filter((text) => new RegExp(`(?:class|interface) ${owner}\\b`).test(text));
  return within.some((text) => declaration.test(text));
}

/** Whether a link of a page leads to a file, and to a heading where it names one. */
function isReached(page: string, link: string): boolean {
  const [target = '', anchor] = link.split('#');
  const file = target === '' ? page : join(dirname(page), target);
  if (!existsSync(join(CHECKOUT, file))) return false;
  if (anchor === undefined) return true;
  const headings = [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slugOf(heading));
  return headings.includes(anchor);
}

/** A heading as GitHub anchors it. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(' ', '-');
}

const hasFunction = (name: string): boolean =>
  sql.some((text) => new RegExp(`function app\\.${name}\\(`, 'i').test(text));

/** What is wrong with a name; undefined: nothing, or it is none that can be checked. */
function problemOf(name: string): string | undefined {
  if (ROOMS.test(name) && !name.includes(' ')) return leads(name) ? undefined : 'leads nowhere';
  if (/^[\w-]+(?:\.test)?\.(?:ts|sql|csv)$/.test(name)) return byName.has(name) ? undefined : 'is no file';
  const definer = /^app\.(\w+)\(\)$/.exec(name)?.[1];
  if (definer !== undefined) return hasFunction(definer) ? undefined : 'is no function of the schema';
  const called = /^(\w+(?:\.\w+)?)\(\)$/.exec(name)?.[1];
  if (called !== undefined) return isDeclared(called) ? undefined : 'is declared nowhere';
  return undefined;
}

/** What CEL, not we, calls a function. */
const NOT_OURS = ['quantity()'];

describe('pages for newcomers', () => {
  for (const page of NEWCOMER_PAGES) {
    it(`every file and function that ${page} names exists, and every link leads somewhere`, () => {
      const wrong = namesIn(page)
        .filter((name) => !NOT_OURS.includes(name))
        .flatMap((name) => {
          const problem = problemOf(name);
          return problem === undefined ? [] : [`\`${name}\` ${problem}`];
        });
      const links = [...textOf(page).matchAll(/\]\(([^):]+)\)/g)].map(([, link = '']) => link);
      const broken = links.filter((link) => !isReached(page, link));
      expect([...wrong, ...broken]).to.deep.equal([]);
    });
  }

  it('names that are wrong are found', () => {
    const named = [
      'pkg/nowhere.ts',
      'nothing-there.ts',
      'app.no_such_function()',
      'noSuchFunction()',
      'CallGate.fly()',
    ];
    expect(named.filter((name) => problemOf(name) === undefined)).to.deep.equal([]);
    expect(['pkg/tools/<domain>/', 'tool.ts', 'callTool()'].flatMap((name) => problemOf(name) ?? [])).to.deep.equal([]);
  });
});
