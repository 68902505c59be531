import { useSignal } from '@preact/signals';
import { call, type Output } from '../../api/call.ts';
import { type Pages, usePages } from '../../api/pages.ts';
import { workspace } from '../../app/session.ts';
import { Chip } from '../../parts/chip.tsx';
import { Select, TextField } from '../../parts/form.tsx';
import { FailureLine, Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { Section } from '../../parts/section.tsx';
import { Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import { isManager, ROLE_WORDS } from './role.ts';
import { Secret } from './secret.tsx';

type Invitation = Output<'svc_list_invitations'>['invitations'][number];
type Made = Output<'svc_create_invitation'>;
type Role = 'admin' | 'member' | 'reviewer';

const ROLES = (['member', 'reviewer', 'admin'] as const).map((value) => ({ value, label: ROLE_WORDS[value] ?? value }));

/** Who is invited and did not come yet. */
export function Invitations() {
  const { workspaceId = '' } = workspace.value ?? {};
  const pages = usePages('svc_list_invitations', { workspaceId, limit: 50 }, ({ invitations }) => invitations, {
    on: ['member'],
  });
  return (
    <Section title="Invitations">
      {isManager() ? <InviteForm pages={pages} /> : null}
      <Loaded
        of={pages.resource}
        lines={2}
        empty={{ when: ({ items }) => items.length === 0, show: <p class="soft">Nobody is invited at the moment.</p> }}
      >
        {({ items }) => (
          <ul class="members">
            {items.map((invitation) => (
              <InvitationLine key={invitation.invitationId} invitation={invitation} pages={pages} />
            ))}
          </ul>
        )}
      </Loaded>
      <More of={pages} />
    </Section>
  );
}

function InviteForm({ pages }: { pages: Pages<Invitation> }) {
  const { workspaceId = '' } = workspace.value ?? {};
  const email = useSignal('');
  const role = useSignal<Role>('member');
  const made = useSignal<{ email: string; answer: Made } | undefined>(undefined);
  const deed = useDeed();
  const invite = (event: SubmitEvent): void => {
    event.preventDefault();
    const to = email.value.trim();
    deed.run(async () => {
      const answer = await call('svc_create_invitation', { workspaceId, email: to, role: role.value });
      made.value = { email: to, answer };
      email.value = '';
      pages.resource.reload();
    });
  };
  return (
    <form class="stack" onSubmit={invite}>
      <div class="form-grid">
        <TextField
          label="Mail address"
          type="email"
          required
          maxLength={320}
          autocomplete="off"
          value={email.value}
          onValue={(value) => {
            email.value = value;
          }}
        />
        <Select
          label="As"
          value={role.value}
          options={ROLES}
          onValue={(value) => {
            role.value = value;
          }}
        />
      </div>
      <div class="form-foot">
        <button type="submit" class="button button-primary" disabled={deed.busy || email.value.trim() === ''}>
          Invite
        </button>
      </div>
      <FailureLine failure={deed.failure} />
      {made.value === undefined ? null : <Invited {...made.value} />}
    </form>
  );
}

/** The mail is on its way, or the link that has to be handed over. */
function Invited({ email, answer }: { email: string; answer: Made }) {
  return (
    <div class="stack" role="status">
      <p>
        <bdi>{email}</bdi> is invited until <Time at={answer.expiresAt} />. {answer.note}
      </p>
      {answer.inviteUrl === null ? null : <Secret label="Link of the invitation" value={answer.inviteUrl} />}
    </div>
  );
}

function InvitationLine({ invitation, pages }: { invitation: Invitation; pages: Pages<Invitation> }) {
  const { email, role, invitedBy, expiresAt, invitationId } = invitation;
  const deed = useDeed();
  const revoke = (): void =>
    deed.run(async () => {
      await call('svc_revoke_invitation', { invitationId });
      say('The invitation was withdrawn.', { tone: 'good' });
      pages.resource.reload();
    });
  return (
    <li class="member">
      <div class="grow">
        <p class="row">
          <strong>
            <bdi>{email}</bdi>
          </strong>
          <Chip>{role}</Chip>
        </p>
        <p class="soft">
          invited by <bdi>{invitedBy}</bdi>, good until <Time at={expiresAt} />
        </p>
        <FailureLine failure={deed.failure} />
      </div>
      {isManager() ? (
        <button type="button" class="button button-small button-danger" disabled={deed.busy} onClick={revoke}>
          Withdraw<span class="unseen"> the invitation of {email}</span>
        </button>
      ) : null}
    </li>
  );
}
