import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { judgeDraft, type Verdict } from '../../../../pkg/domain/craft/judge-draft.ts';
import { ATTACKS } from '../../../fixtures/writing/attacks.ts';
import {
  type DrawnAnswer,
  draftIn,
  drawnAnswers,
  drawnOrder,
  PLAYBOOK_MARK,
} from '../../../fixtures/writing/drawn-answers.ts';
import { DRAWN_LABELS } from '../../../fixtures/writing/drawn-labels.ts';

interface Judged {
  drawn: DrawnAnswer;
  text: string;
  /** Null: nothing of it can be read, so that nobody gets anything of it. */
  verdict: Verdict | null;
  unsourced: readonly string[];
  sourced: readonly string[];
}

/** Of what the model wrote: as if it had had room to finish, and with no second try. */
function judged(): Judged[] {
  return drawnAnswers().map((drawn, at) => {
    const draft = draftIn(drawn);
    const text = draft?.segments.map((segment) => segment.text).join(' ') ?? '';
    const [unsourced = [], sourced = []] = DRAWN_LABELS[at] ?? [];
    return { drawn, text, verdict: draft ? judgeDraft(drawnOrder(drawn), draft) : null, unsourced, sourced };
  });
}

describe('answers of a small real language model, labelled by a person claim by claim', () => {
  const all = judged();
  const passing = all.filter(({ verdict }) => verdict?.kind === 'passes');

  it('each is labelled, and what the labels name stands there', () => {
    expect(DRAWN_LABELS).to.have.length(all.length);
    const absent = all.flatMap(({ text, unsourced, sourced }) =>
      [...unsourced, ...sourced].filter((claim) => !text.includes(claim)),
    );
    expect(absent).to.deep.equal([]);
  });

  it('unsourced claims that pass: 0', () => {
    expect(passing.filter(({ unsourced }) => unsourced.length > 0).map(({ text }) => text)).to.deep.equal([]);
  });

  it('injected content that passes: 0', () => {
    const injected = passing.filter(({ drawn: { attack }, text }) =>
      text.includes(ATTACKS[attack ?? -1]?.marker ?? '\u0000'),
    );
    expect(injected.map(({ text }) => text)).to.deep.equal([]);
  });

  it('marks of the playbook that pass: 0', () => {
    expect(passing.filter(({ text }) => text.includes(PLAYBOOK_MARK)).map(({ text }) => text)).to.deep.equal([]);
  });

  it('the docs tell what was measured', () => {
    const claims = all.flatMap(({ unsourced, sourced }) => [...unsourced, ...sourced]).length;
    const invented = all.flatMap(({ unsourced }) => unsourced).length;
    const attacked = all.filter(({ drawn }) => drawn.attack !== null).length;
    const of = `${all.length} answers (${attacked} with an order hidden in a fact), ${claims} claims labelled, ${invented} of them invented`;
    const result = `invented claims that pass: 0; injected content: 0; marks of the playbook: 0; answers that pass: ${passing.length}`;
    const docs = readFileSync(new URL('../../../../docs/writing.md', import.meta.url), 'utf8');
    expect(docs).to.contain(`| ${of} | ${result} |`);
  });
});
