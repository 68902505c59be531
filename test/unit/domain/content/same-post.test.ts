import { expect } from 'chai';
import { previewOf } from '../../../../pkg/domain/content/post-text.ts';
import { comparePost, isSamePost } from '../../../../pkg/domain/content/same-post.ts';

const LONG = 'What we learned from a hundred messages: the first line decides, and the second is read by one in ten.';

describe('content: whether a post that shows is the one that was sent (C1, C2)', () => {
  const ROWS = [
    [LONG, 'same', 'the same words'],
    [LONG.replaceAll(' ', '  \n'), 'same', 'broken anew'],
    [LONG.replace('hundred', 'hundred\u200b'), 'same', 'with what nobody sees'],
    [`${LONG.slice(0, 60)}… see more`, 'truncated', 'shortened by the network'],
    [LONG.slice(0, 50), 'truncated', 'cut off'],
    ['What', 'other', 'too little to know it by'],
    ['Something else entirely, as long as the other one is, and then some more of it.', 'other', 'other words'],
  ] as const;
  for (const [shown, expected, why] of ROWS)
    it(`${why}: ${expected}`, () => expect(comparePost(shown, LONG)).to.equal(expected));

  it('is none that is older than the post, and none of our others', () => {
    const sought = { text: LONG, since: 1_000, sentAt: 5_000_000, others: new Set(['b']) };
    expect(isSamePost({ postId: 'a', text: LONG, postedAt: 1_000 }, sought)).to.equal(true);
    expect(isSamePost({ postId: 'a', text: LONG, postedAt: 999 }, sought)).to.equal(false);
    // All but its first word was dropped, and it appeared when ours left.
    expect(isSamePost({ postId: 'a', text: 'What', postedAt: 5_000_500 }, sought)).to.equal(true);
    expect(isSamePost({ postId: 'a', text: 'What', postedAt: 2_000 }, sought)).to.equal(false);
    expect(isSamePost({ postId: 'b', text: LONG, postedAt: 2_000 }, sought)).to.equal(false);
  });

  it('counts as the network does, and never cuts an emoji in two (C3)', () => {
    const text = '👩‍👩‍👧'.repeat(60);
    const { length, firstLines, seeMore } = previewOf(text, 0);
    expect(length).to.equal(text.length);
    expect(firstLines.length % '👩‍👩‍👧'.length).to.equal(0);
    expect(seeMore).to.equal(true);
  });
});
