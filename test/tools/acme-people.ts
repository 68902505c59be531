import type { McpTools, ToolUser } from './mcp-tools.ts';

export const ACME = { workspaceId: 'acme' };

export interface Member {
  memberId: string;
  userId: string;
  email: string;
  role: string;
  lastSeenAt: string | null;
}

export interface Invited {
  invitationId: string;
  inviteUrl: string;
  expiresAt: string;
}

/** The people of the workspace `acme`: its owner, who invites, and those who accept. */
export class AcmePeople {
  readonly owner: ToolUser;
  /** A key of the workspace itself. */
  readonly key: ToolUser;
  /** A key of the workspace `rival`. */
  readonly rival: ToolUser;
  readonly #tools: McpTools;

  private constructor(tools: McpTools, owner: ToolUser, key: ToolUser, rival: ToolUser) {
    this.#tools = tools;
    this.owner = owner;
    this.key = key;
    this.rival = rival;
  }

  static async of(tools: McpTools): Promise<AcmePeople> {
    const key = await tools.as({ workspace: 'acme' });
    const rival = await tools.as({ workspace: 'rival' });
    const [row] = await tools.rows<{ id: string }>(`select id from app_user where email = 'owner@acme.example'`);
    const made = await tools.mcp.key({ userId: row?.id ?? '' });
    return new AcmePeople(tools, tools.user(await tools.mcp.client(made.plaintext)), key, rival);
  }

  async members(): Promise<Member[]> {
    return (await this.key.call<{ members: Member[] }>('svc_list_members', { limit: 100 })).members;
  }

  async memberOf(email: string): Promise<Member> {
    const found = (await this.members()).find((member) => member.email === email);
    if (!found) throw new Error(`${email} is no member`);
    return found;
  }

  invite(email: string, role = 'member'): Promise<Invited> {
    return this.owner.call('svc_create_invitation', { ...ACME, email, role });
  }

  /** As the page of the invitation does. */
  async accept(url: string, userKey?: string): Promise<{ status: number; body: Record<string, string> }> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(userKey ? { authorization: `Bearer ${userKey}` } : {}) },
      body: JSON.stringify({ name: 'New Person' }),
      signal: AbortSignal.timeout(10_000),
    });
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  }

  /** Invites and accepts. @returns the new member's user key and client */
  async newcomer(email: string, role = 'member'): Promise<{ userKey: string; user: ToolUser }> {
    const { body } = await this.accept((await this.invite(email, role)).inviteUrl);
    const userKey = body['key'] ?? '';
    return { userKey, user: this.#tools.user(await this.#tools.mcp.client(userKey)) };
  }

  /** As the mailed link does: a test of its own follows one. */
  async prove(email: string): Promise<void> {
    await this.#tools.rows('update app_user set unproven = false where email = $1', [email]);
  }
}
