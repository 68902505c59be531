import { expect } from 'chai';
import { checkedVerdict } from '../../../pkg/domain/signals/judge-text.ts';

const TEXT = 'We are hiring ten engineers\nin Berlin. Lunch was good.';

describe('verdicts about signals', () => {
  it('A9 a yes counts with a span that is a part of the source, and its white space is no matter', () => {
    const said = { match: true, reason: 'they  hire', evidence: 'ten engineers in Berlin' };
    expect(checkedVerdict(said, TEXT)).to.deep.equal({ ...said, reason: 'they hire' });
  });

  it('A9 a yes with words that do not stand in the source, or with none, is a no', () => {
    for (const evidence of ['eleven engineers', '', '  '])
      expect(checkedVerdict({ match: true, reason: 'they hire', evidence }, TEXT)).to.include({ match: false });
  });

  it('a no needs no evidence, and keeps none that does not stand there', () => {
    const said = { match: false, reason: '', evidence: 'Paris' };
    expect(checkedVerdict(said, TEXT)).to.deep.equal({ match: false, reason: 'it does not match', evidence: '' });
  });
});
