import { expect } from 'chai';
import { checkClaims, type Finding } from '../../../../pkg/domain/craft/check-claims.ts';
import { PEOPLE, WORLD_NOW } from '../../../fixtures/writing/closed-world.ts';
import { LABELLED, type LabelledAnswer } from '../../../fixtures/writing/labelled-answers.ts';

/** What the checker finds in an answer, with places in the whole text. */
function found({ person, segments }: LabelledAnswer): (Finding & { at: number; until: number })[] {
  const known = PEOPLE[person];
  if (!known) throw new Error(`nobody is called ${person}`);
  const starts = segments.map((_, index) =>
    segments.slice(0, index).reduce((sum, { text }) => sum + text.length + 1, 0),
  );
  const own = { text: known.playbook, addressee: [known.firstName], sender: ['Sam'] };
  return checkClaims(segments, {
    language: known.language,
    facts: known.facts,
    own,
    mode: 'person',
    now: WORLD_NOW,
  }).map((finding) => {
    const start = starts[finding.segment] ?? 0;
    return { ...finding, at: start + finding.from, until: start + finding.to };
  });
}

const overlaps = (finding: { at: number; until: number }, claim: { from: number; to: number }): boolean =>
  finding.at < claim.to && claim.from < finding.until;

describe('the checker of claims, against what a person labelled', () => {
  it('no unsourced claim passes', () => {
    const passed = LABELLED.flatMap((answer) => {
      const findings = found(answer);
      return answer.claims
        .filter((claim) => !claim.covered && !findings.some((finding) => overlaps(finding, claim)))
        .map((claim) => `${answer.line} -- ${claim.text}`);
    });
    expect(passed).to.deep.equal([]);
  });

  it('no sourced claim is held for unsourced, and what claims nothing passes', () => {
    const refused = LABELLED.flatMap((answer) => {
      const findings = found(answer);
      const wrong = findings.filter((finding) =>
        answer.claims.every(({ covered }) => covered)
          ? true
          : answer.claims.some((claim) => claim.covered && overlaps(finding, claim)),
      );
      return wrong.map((finding) => `${answer.line} -- ${finding.text}`);
    });
    expect(refused).to.deep.equal([]);
  });
});
