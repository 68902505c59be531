import { expect } from 'chai';
import { personOf, profileUrl, providerIdOf, replyText } from '../../../cmd/sandbox/person.ts';
import { type Behaviour, behaviourOf, DEFAULT_POPULATION, REPLY_KINDS } from '../../../cmd/sandbox/population.ts';
import { classifyReply } from '../../../pkg/domain/reply-class.ts';

const EIGHT_HOURS = 8 * 3_600_000;
const crowd = Array.from({ length: 2_000 }, (_, index) => behaviourOf('seed', `person-${index}`, DEFAULT_POPULATION));
const share = (of: (behaviour: Behaviour) => boolean): number => crowd.filter(of).length / crowd.length;

describe('population of the sandbox', () => {
  it('is the same for the same seed and another for another', () => {
    expect(behaviourOf('a', 'ada-l', DEFAULT_POPULATION)).to.deep.equal(behaviourOf('a', 'ada-l', DEFAULT_POPULATION));
    const others = ['b', 'c', 'd', 'e'].map((seed) => behaviourOf(seed, 'ada-l', DEFAULT_POPULATION).acceptAfterMs);
    expect(new Set(others).size).to.equal(4);
  });

  it('accepts, ignores, replies and asks to stop at the configured rates', () => {
    expect(share((person) => person.accepts)).to.be.closeTo(DEFAULT_POPULATION.acceptRate, 0.04);
    expect(share((person) => person.reply !== 'none')).to.be.closeTo(DEFAULT_POPULATION.replyRate, 0.04);
    expect(share((person) => person.reply === 'stop')).to.be.closeTo(DEFAULT_POPULATION.stopRate, 0.02);
    for (const kind of REPLY_KINDS)
      expect(
        crowd.some((person) => person.reply === kind),
        kind,
      ).to.equal(true);
  });

  it('can be told that everybody accepts or nobody replies', () => {
    const eager = { ...DEFAULT_POPULATION, acceptRate: 1, replyRate: 0, stopRate: 0, outOfOfficeRate: 0 };
    const people = Array.from({ length: 200 }, (_, index) => behaviourOf('seed', `p-${index}`, eager));
    expect(people.every((person) => person.accepts && person.reply === 'none')).to.equal(true);
  });

  it('tells an acceptance at most eight hours late', () => {
    expect(Math.max(...crowd.map((person) => person.noticeAfterMs))).to.be.at.most(EIGHT_HOURS);
  });

  it('writes what the product classifies as meant', () => {
    const meant = {
      positive: 'positive',
      neutral: 'neutral',
      negative: 'negative',
      out_of_office: 'out_of_office',
      stop: 'unsubscribe',
    };
    crowd.forEach((person, index) => {
      if (person.reply === 'none') return;
      const text = replyText('seed', `person-${index}`, person);
      expect(classifyReply(text, 0).replyClass, text).to.equal(meant[person.reply]);
    });
  });

  it('reads names out of public ids and finds some for others', () => {
    expect(personOf('s', 'ada-lovelace-1b2')).to.include({ firstName: 'Ada', lastName: 'Lovelace' });
    expect(personOf('s', 'x12345').firstName).to.not.equal('');
    expect(profileUrl('jörg-b')).to.equal('https://www.linkedin.com/in/j%C3%B6rg-b');
    expect(providerIdOf('s', 'a', 'x')).to.match(/^ACoAA[\w-]{34}$/);
  });
});
