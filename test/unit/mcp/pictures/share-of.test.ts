import { expect } from 'chai';
import { shareOf } from '../../../../pkg/mcp/console/console-pictures.ts';

const member = (id: string, ...workspaces: string[]): Parameters<typeof shareOf>[0] => ({
  keyId: `session of ${id}`,
  user: { id, name: id, email: `${id}@example.com` },
  workspaces: workspaces.map((workspaceId) => ({ workspaceId, name: workspaceId, role: 'member' })),
});

describe('shares of pictures', () => {
  it('all members of a workspace have one, and another workspace has its own', () => {
    const members = Array.from({ length: 8 }, (_, at) => shareOf(member(`user-${at}`, 'acme')));
    expect(new Set(members).size).to.equal(1);
    expect(members).to.not.include(shareOf(member('user-0', 'other')));
  });

  it('who is a member nowhere has one of their own, which no name of a workspace is', () => {
    expect(shareOf(member('ada'))).to.not.equal(shareOf(member('bob')));
    expect(shareOf(member('acme'))).to.not.equal(shareOf(member('ada', 'acme')));
  });
});
