import { expect } from 'chai';
import { SignedCursors } from '../../../pkg/mcp/signed-cursors.ts';

describe('cursors', () => {
  const mine = new SignedCursors('a-secret-of-sixteen', 'key-1');
  const cursor = mine.encode('svc_list_campaigns', { workspaceId: 'a' }, [17, 'id', null]);
  const refused = (work: () => unknown): string => {
    try {
      work();
      return 'accepted';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('carry the position; the order of filters does not matter', () => {
    expect(mine.decode('svc_list_campaigns', { workspaceId: 'a' }, cursor)).to.deep.equal([17, 'id', null]);
    const two = mine.encode('t', { a: 1, b: 2 }, ['x']);
    expect(mine.decode('t', { b: 2, a: 1 }, two)).to.deep.equal(['x']);
  });

  it('begin at the first page without one', () => {
    expect(mine.decode('svc_list_campaigns', {}, undefined)).to.equal(null);
  });

  it('of another tool, other filters, another key or an altered position are refused', () => {
    const other = new SignedCursors('a-secret-of-sixteen', 'key-2');
    const forged = `${Buffer.from('[99,"id",null]').toString('base64url')}.${cursor.split('.')[1]}`;
    const tries = [
      () => mine.decode('svc_list_personas', { workspaceId: 'a' }, cursor),
      () => mine.decode('svc_list_campaigns', { workspaceId: 'b' }, cursor),
      () => other.decode('svc_list_campaigns', { workspaceId: 'a' }, cursor),
      () => mine.decode('svc_list_campaigns', { workspaceId: 'a' }, forged),
      () => mine.decode('svc_list_campaigns', { workspaceId: 'a' }, 'nonsense'),
    ];
    for (const attempt of tries) expect(refused(attempt)).to.match(/^Invalid input: cursor: /);
  });
});
