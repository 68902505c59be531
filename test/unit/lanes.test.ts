import { globSync } from 'node:fs';
import { expect } from 'chai';
import { LANES } from '../tools/lanes.ts';

/** Run by their own targets: `make test-cluster` and `make test-long`. */
const OF_OTHERS = ['test/cluster/**/*.test.ts', 'test/long/**/*.test.ts', 'test/chaos/long/*.test.ts'];

describe('lanes of make test', () => {
  it('together run every test file, each once but for the suite that runs against two API servers', () => {
    const all = globSync('test/**/*.test.ts', { exclude: ['**/node_modules/**'] });
    const others = new Set(OF_OTHERS.flatMap((glob) => globSync(glob)));
    const plain = LANES.flat().filter((suite) => suite.env === undefined);
    const run = plain.flatMap((suite) => globSync(suite.glob));
    expect(run.sort()).to.deep.equal(all.filter((file) => !others.has(file)).sort());
    for (const suite of LANES.flat()) expect(globSync(suite.glob), suite.name).not.to.have.length(0);
  });
});
