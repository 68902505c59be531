import { expect } from 'chai';
import { keptIn } from '../../verify/tenant-caches.ts';

const ROWS: [what: string, text: string, names: string[]][] = [
  [
    'a cache of the module',
    'const cache = new Map<string, string>();\nexport const put = (id: string) => cache.set(id, id);',
    ['cache'],
  ],
  [
    'a variable of the module',
    'let last: string | undefined;\nexport const note = (id: string) => { last = id; };',
    ['last'],
  ],
  ['a field', 'export class Cache { readonly #byLead = new Map<string, object>(); }', ['#byLead']],
  ['a list that grows', 'const seen: string[] = [];\nexport const see = (id: string) => seen.push(id);', ['seen']],
  [
    'what a closure carries away',
    'export function open() { const known = new Map(); return (id: string) => known.get(id); }',
    ['known'],
  ],
  ['an object of our own', 'const ROOM = new MediaRoom(5);', ['ROOM']],
  ['words that nobody changes', "const WORDS = new Set(['a', 'b']);", []],
  [
    'a container of one call',
    'export function count(ids: string[]) { const own = new Map(); own.set(ids[0], 1); return own; }',
    [],
  ],
  ['a pattern', 'const NAME = new RegExp("^a");', []],
];

describe('the lint of what workspaces of one process share', () => {
  for (const [what, text, names] of ROWS) {
    it(`${names.length > 0 ? 'finds' : 'passes'} ${what}`, () => {
      expect(keptIn('pkg/engine/x.ts', text)).to.deep.equal(names.map((name) => `pkg/engine/x.ts ${name}`));
    });
  }
});
