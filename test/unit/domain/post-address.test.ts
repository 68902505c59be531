import { expect } from 'chai';
import { postIdOf } from '../../../pkg/domain/post-address.ts';

describe('domain: the id of a post by its address', () => {
  const cases: [string, string | null, string][] = [
    ['https://www.linkedin.com/posts/ada_on-engines-activity-7332661864792854528-aBcD', '7332661864792854528', 'slug'],
    [
      'https://www.linkedin.com/posts/ada_x-activity-7332661864792854528?utm_source=share',
      '7332661864792854528',
      'query',
    ],
    [
      'https://de.linkedin.com/posts/ada_x-ugcPost-7332661864792854528-aBcD/',
      'urn:li:ugcPost:7332661864792854528',
      'ugcPost',
    ],
    ['https://linkedin.com/posts/ada_x-share-733-aBcD', 'urn:li:share:733', 'share'],
    ['https://www.linkedin.com/feed/update/urn:li:activity:733/', '733', 'urn'],
    ['https://www.linkedin.com/feed/update/urn%3Ali%3Ashare%3A733', 'urn:li:share:733', 'an encoded urn'],
    ['https://www.linkedin.com/in/ada', null, 'a person'],
    ['https://linkedin.com.evil.example/posts/a-activity-733', null, 'another host'],
    ['https://evil.example/feed/update/urn:li:activity:733', null, 'another host'],
    ['javascript:alert(1)', null, 'no address'],
    ['https://www.linkedin.com/posts/%E0%A4%A', null, 'broken code'],
  ];
  for (const [address, id, why] of cases)
    it(`${why}: ${address}`, () => {
      expect(postIdOf(address)).to.equal(id);
    });
});
