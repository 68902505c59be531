import { roleAllows } from '../../domain/role-scopes.ts';
import type { Caller, CallerWorkspace } from '../../tools/tool-context.ts';

/** The ways in which somebody can sign in here. */
export interface SignInWays {
  mail: boolean;
  /** How the button names the provider; null: there is none. */
  oidc: { name: string } | null;
  passkey: boolean;
}

/** Who is signed in, and what they may in which workspace. */
export function meOf(caller: Caller, signIn: SignInWays): object {
  const { user, platformAdmin } = caller;
  return {
    user: { userId: user?.id, name: user?.name, email: user?.email, admin: platformAdmin },
    workspaces: caller.workspaces.map((workspace) => ({
      workspaceId: workspace.workspaceId,
      name: workspace.name,
      role: workspace.role,
      scopes: scopesIn(workspace, caller.scopes),
    })),
    signIn,
  };
}

/** The scopes that role and limit leave; a reviewer decides drafts besides, which no scope tells. */
function scopesIn({ role, scopeLimit }: CallerWorkspace, scopes: ReadonlySet<string>): string[] {
  return [...scopes].filter((scope) => roleAllows(role, { scope }) && (!scopeLimit || scopeLimit.includes(scope)));
}
