import { expect } from 'chai';
import { type PageCount, turnPage } from '../../../pkg/tools/jobs/turn-page.ts';

describe('tools: turning the pages of a list elsewhere', () => {
  const start: PageCount = { cursor: null, pages: 0, blanks: 0 };
  /** Pages that are read of a list whose pages hold so many people, before it ends or is left. */
  function read(
    items: (page: number) => number,
    cursor: (page: number) => string | null,
  ): [pages: number, end: string] {
    let at = start;
    for (let page = 1; ; page++) {
      const turn = turnPage(at, { cursor: cursor(page), items: items(page) }, 100);
      if (turn.kind !== 'more') return [page, turn.kind === 'lost' ? turn.why : 'end'];
      at = turn.at;
    }
  }

  it('goes on until the list says that it ends', () => {
    expect(
      read(
        () => 5,
        (page) => (page < 30 ? String(page) : null),
      ),
    ).to.deep.equal([30, 'end']);
  });

  it('passes over some empty pages: people of them may have been deleted', () => {
    const items = (page: number): number => (page % 10 === 0 ? 1 : 0);
    expect(read(items, (page) => (page < 45 ? String(page) : null))).to.deep.equal([45, 'end']);
  });

  it('leaves a list that shows nothing page after page', () => {
    expect(read(() => 0, String)).to.deep.equal([10, 'the list there showed 10 empty pages in a row']);
  });

  it('leaves a list that leads back to where it was', () => {
    const said = 'the list there shows the same page again and again';
    expect(
      read(
        () => 5,
        () => 'here',
      ),
    ).to.deep.equal([2, said]);
  });

  it('leaves a list that never ends', () => {
    expect(read(() => 5, String)).to.deep.equal([100, 'the list there has more than 100 pages']);
  });
});
