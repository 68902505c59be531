import { expect } from 'chai';
import { endWords } from '../../../pkg/domain/end-words.ts';
import { missingDataEnd, missingOf } from '../../../pkg/domain/missing-data.ts';

describe('why a run ended, in words', () => {
  it('says the step and its outcome, and why nothing was done', () => {
    expect(endWords('First', 'sent')).to.equal('ended after First (sent)');
    expect(endWords('First', 'no_email')).to.equal(
      'ended after First (no_email): nothing was sent, the lead has no mail address',
    );
    expect(endWords('Hand', 'refused', 'claimed')).to.match(/does not take the lead, another workflow is in contact/);
    expect(endWords('Hand', 'refused', 'constructor')).to.match(/does not take the lead, /);
    expect(endWords('First', 'toString')).to.equal('ended after First (toString)');
  });

  it('what a text lacked is read from the reason again, and from no other one', () => {
    const reason = missingDataEnd(endWords('First', 'missing_data'), 'lead:title, lead:customFields.size');
    expect(missingOf(reason)).to.deep.equal(['lead:title', 'lead:customFields.size']);
    for (const other of [null, 'replied', endWords('First', 'no_email'), 'ended after n (sent)'])
      expect(missingOf(other), `${other}`).to.equal(null);
  });
});
