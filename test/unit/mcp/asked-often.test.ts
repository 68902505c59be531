import { expect } from 'chai';
import { AskedOften } from '../../../pkg/mcp/console/asked-often.ts';

describe('what a network begins at the door of the console', () => {
  it('is 600 in ten minutes, and counted anew after them', () => {
    let now = 0;
    const asked = new AskedOften(() => now);
    const answers = Array.from({ length: 602 }, () => asked.tooOften('192.0.2.1'));
    expect(answers.filter(Boolean)).to.have.length(2);
    expect(asked.tooOften('192.0.2.2'), 'another network').to.equal(false);
    expect(asked.tooOften('::ffff:192.0.2.1'), 'the same one in another form').to.equal(true);
    now = 10 * 60_000;
    expect(asked.tooOften('192.0.2.1')).to.equal(false);
  });

  it('keeps 10,000 networks at most', () => {
    const asked = new AskedOften(() => 0);
    for (let time = 0; time < 601; time++) asked.tooOften('192.0.2.1');
    for (let network = 0; network < 10_000; network++)
      asked.tooOften(`10.${network >> 16}.${(network >> 8) & 255}.${network & 255}`);
    expect(asked.tooOften('192.0.2.1')).to.equal(false);
  });
});
