import { computed, effect, signal } from '@preact/signals';
import { callsWithin, signedOut } from '../api/call.ts';
import { actsAs, type Failure, failureOf, get, post } from '../api/http.ts';
import { forgetTyped } from './typed.ts';

/** A workspace of the member, and what they may do there. */
export interface Workspace {
  workspaceId: string;
  name: string;
  role: string;
  scopes: readonly string[];
}

/** Ways to sign in that this installation has. */
export interface SignInWays {
  mail: boolean;
  oidc: { name: string } | null;
  passkey: boolean;
}

export interface Me {
  user: { userId: string; name: string; email: string; admin: boolean };
  workspaces: readonly Workspace[];
  signIn: SignInWays;
}

export type SessionState =
  | { kind: 'loading' }
  | { kind: 'in'; me: Me }
  | { kind: 'out'; signIn: SignInWays }
  | { kind: 'failed'; failure: Failure };

/** Who is signed in. */
export const session = signal<SessionState>({ kind: 'loading' });

/** Who is signed in; undefined: nobody, or it is not known yet. */
export const me = computed(() => (session.value.kind === 'in' ? session.value.me : undefined));

const NO_WAYS: SignInWays = { mail: false, oidc: null, passkey: false };

/** Asks the server who is signed in. What is on the page stays meanwhile. */
export async function readSession(): Promise<void> {
  try {
    session.value = { kind: 'in', me: await get<Me>('me') };
    signedOut.value = false;
  } catch (error) {
    const failure = failureOf(error);
    // Somebody who is in stays in while the server is away for a moment.
    if (failure.kind !== 'signed-out' && session.value.kind === 'in') return;
    session.value = failure.kind === 'signed-out' ? outBy(failure) : { kind: 'failed', failure };
  }
}

function outBy({ body }: Failure): SessionState {
  const { signIn } = body as { signIn?: SignInWays };
  return { kind: 'out', signIn: { ...NO_WAYS, ...signIn } };
}

/** Ends the session here and at the server. @throws Failure */
export async function signOut(): Promise<void> {
  await post('sign-out');
  await readSession();
}

// A call was told that the session is over.
effect(() => {
  if (signedOut.value && session.peek().kind === 'in') void readSession();
});

// What the page asks for is for who is in; nothing that somebody typed is shown to the next one.
effect(() => {
  const userId = me.value?.user.userId;
  if (userId === undefined || userId === actsAs.userId) return;
  if (actsAs.userId !== null) forgetTyped();
  actsAs.userId = userId;
});

// A link of a mail signs in in another tab: this one goes on by itself.
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && session.value.kind === 'out') void readSession();
});

const LAST = 'outrider.workspace';

/** The workspace that is looked at: that of the address, which the router keeps here. */
export const currentId = signal<string | null>(null);

/** The workspace that is looked at; undefined: none of the member's. */
export const workspace = computed(() =>
  me.value?.workspaces.find(({ workspaceId }) => workspaceId === currentId.value),
);

/** Where somebody begins who names no workspace: where they were last, else the first of theirs. */
export function firstWorkspace(of: Me): Workspace | undefined {
  const last = localStorage.getItem(LAST);
  return of.workspaces.find(({ workspaceId }) => workspaceId === last) ?? of.workspaces[0];
}

effect(() => {
  callsWithin.value = workspace.value?.workspaceId ?? null;
  if (workspace.value) localStorage.setItem(LAST, workspace.value.workspaceId);
});

/** Whether the member may in the workspace that is looked at; a scope of the platform: whether they are its admin. */
export function may(scope: string | undefined): boolean {
  if (scope === undefined) return true;
  if (scope.startsWith('admin:')) return me.value?.user.admin === true;
  return workspace.value?.scopes.includes(scope) === true;
}
