import { globSync } from 'node:fs';
import { expect } from 'chai';
import { CATALOG } from '../../contract/catalog.ts';
import { CHECKOUT, catalogMachine, machinesIn, NEWCOMER_PAGES, textOf } from '../../tools/newcomer-docs.ts';

/** State machines that a page must show. */
const SHOWN = ['campaign', 'creditHold', 'reviewItem', 'sendAttempt', 'workflowRun'];
const decisions = globSync('docs/decisions/[0-9]*.md', { cwd: CHECKOUT }).sort();
const words = (text: string): number => text.split(/\s+/).length;

describe('state diagrams of the documents', () => {
  const machines = NEWCOMER_PAGES.flatMap(machinesIn);

  it('show the machines of sends, runs, drafts, credits and campaigns', () => {
    expect(machines.map(({ name }) => name).sort()).to.deep.equal(SHOWN);
  });

  for (const { name, diagram, table } of machines) {
    it(`${name}: the diagram and its table have the states and transitions of the catalog`, () => {
      const machine = CATALOG.stateMachines[name];
      if (!machine?.transitions) throw new Error(`the catalog has no machine ${name}`);
      const expected = [...catalogMachine({ ...machine, transitions: machine.transitions })].sort();
      expect([...diagram].sort(), 'diagram').to.deep.equal(expected);
      expect([...table].sort(), 'table').to.deep.equal(expected);
      const drawn = new Set([...diagram].flatMap((move) => move.split(' -> ')));
      expect([...drawn].sort(), 'states').to.deep.equal([...machine.states].sort());
    });
  }
});

describe('documents that stay short', () => {
  it('the architecture is a page', () => {
    expect(words(textOf('docs/architecture.md'))).to.be.at.most(900);
  });

  it('a decision has context, decision, why and consequences in at most 250 words, and stands in the list', () => {
    const list = textOf('docs/decisions/README.md');
    expect(decisions.length).to.be.greaterThan(20);
    decisions.forEach((file, at) => {
      const text = textOf(file);
      const name = file.split('/').at(-1) ?? '';
      expect(name.startsWith(String(at + 1).padStart(4, '0')), `${file}: numbers have no gap`).to.equal(true);
      expect(list, file).to.contain(`](${name})`);
      const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
      expect(headings, file).to.deep.equal(['Context', 'Decision', 'Why', 'Consequences']);
      expect(words(text), file).to.be.at.most(250);
    });
  });

  it('sentences name who acts', () => {
    const riddles = NEWCOMER_PAGES.flatMap((page) =>
      [...textOf(page).matchAll(/\b(?:whoever|whomever|of whom)\b/gi)].map(([word]) => `${page}: ${word}`),
    );
    expect(riddles).to.deep.equal([]);
  });

  it('every page can be reached from the architecture or the list of decisions', () => {
    const hub = textOf('docs/architecture.md');
    const missing = NEWCOMER_PAGES.filter(
      (page) =>
        page !== 'docs/architecture.md' &&
        !page.startsWith('docs/decisions/') &&
        !hub.includes(`](${page.replace('docs/', '')}`),
    );
    expect(missing).to.deep.equal([]);
  });
});
