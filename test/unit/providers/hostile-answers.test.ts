import { expect } from 'chai';
import { parseOutsideJson } from '../../../pkg/base/usable-text.ts';
import { calendarData } from '../../../pkg/providers/calendar/calendar-data.ts';

/** Characters that are read of an answer at most. */
const LENGTH = 4 * 1024 * 1024;
const filled = (text: string, length = LENGTH): string => text.repeat(Math.ceil(length / text.length)).slice(0, length);
/** MB of heap that reading one may take. */
const MOST_MB = 48;

/** What is thrown, or the value; and MB of heap that it took. */
function cost(read: () => unknown): { result: unknown; mb: number } {
  const before = process.memoryUsage().heapUsed;
  let result: unknown;
  try {
    result = read();
  } catch (error) {
    result = error;
  }
  return { result, mb: (process.memoryUsage().heapUsed - before) / 1e6 };
}

const JSON_ANSWERS: Readonly<Record<string, () => string>> = {
  'objects without number': () => `[${filled('{},')}{}]`,
  'arrays in arrays': () => filled('['),
  'objects in objects': () => filled('{"a":'),
  'numbers without number': () => `[${filled('1,')}1]`,
  'names without number': () => `{${Array.from({ length: 400_000 }, (_, n) => `"${n}":0`).join(',')}}`,
  'a string without end': () => `"${filled('a')}`,
  'escapes without number': () => `"${filled('\\u0041')}`,
  'commas alone': () => filled(','),
};

describe('a hostile answer of a provider', function () {
  this.timeout(60_000);

  for (const [what, make] of Object.entries(JSON_ANSWERS)) {
    it(`of ${what} is no JSON, and costs next to nothing`, () => {
      const text = make();
      const { result, mb } = cost(() => parseOutsideJson(text));
      expect(result).to.be.instanceOf(SyntaxError);
      expect(mb, 'MB').to.be.below(MOST_MB);
    });
  }

  it('that is one long string of commas and brackets is read: they are no values', () => {
    expect(parseOutsideJson(JSON.stringify({ text: filled('[,{"\\', 500_000) }))).to.deep.equal({
      text: filled('[,{"\\', 500_000),
    });
  });

  for (const [what, text] of Object.entries({
    'tags without number': `<multistatus>${filled('<a>', 1_000_000)}`,
    'a tag without end': `<multistatus><${filled('a', 1_000_000)}`,
    'openings alone': filled('<', 1_000_000),
    'entities without number': `<multistatus><calendar-data>${filled('&amp;', 1_000_000)}</calendar-data></multistatus>`,
    'comments that none closes': `<multistatus>${filled('<!--', 1_000_000)}`,
    'objects without number': `<multistatus>${filled('<calendar-data></calendar-data>', 1_000_000)}</multistatus>`,
  })) {
    it(`of a calendar, of ${what}, is refused or read, and costs next to nothing`, () => {
      expect(cost(() => calendarData(text)).mb, 'MB').to.be.below(MOST_MB);
    });
  }
});
