import { useSignal } from '@preact/signals';
import { call, type Output } from '../../api/call.ts';
import { type Pages, usePages } from '../../api/pages.ts';
import { may, me, readSession, workspace } from '../../app/session.ts';
import { Ask } from '../../parts/ask.tsx';
import { Avatar, Chip } from '../../parts/chip.tsx';
import { Select } from '../../parts/form.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { More } from '../../parts/more.tsx';
import { Section } from '../../parts/section.tsx';
import { Time } from '../../parts/time.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import { Invitations } from './invitations.tsx';
import { isManager, isOwner, ROLE_WORDS } from './role.ts';

type Member = Output<'svc_list_members'>['members'][number];
type Role = 'owner' | 'admin' | 'member' | 'reviewer';

/** Who is in the workspace, and who is invited. */
export function MembersTab() {
  const { workspaceId = '' } = workspace.value ?? {};
  const pages = usePages('svc_list_members', { workspaceId, limit: 50 }, ({ members }) => members, { on: ['member'] });
  return (
    <div class="sections">
      <Section title="Members">
        <Loaded of={pages.resource} lines={4}>
          {({ items }) => (
            <ul class="members">
              {items.map((member) => (
                <MemberLine key={member.memberId} member={member} pages={pages} />
              ))}
            </ul>
          )}
        </Loaded>
        <More of={pages} />
      </Section>
      <Invitations />
    </div>
  );
}

function MemberLine({ member, pages }: { member: Member; pages: Pages<Member> }) {
  const { name, email, role, proven, scopeLimit, lastSeenAt, userId } = member;
  const isMe = userId === me.value?.user.userId;
  const removing = useSignal(false);
  const becomes = useSignal<Role | undefined>(undefined);
  return (
    <li class="member">
      <Avatar name={name || email} />
      <div class="grow">
        <p class="row">
          <strong>
            <bdi>{name || email}</bdi>
          </strong>
          {isMe ? <Chip>you</Chip> : null}
          {proven ? null : (
            <Chip tone="warn" title="Nothing proved that this person has the address">
              address not proven
            </Chip>
          )}
          {scopeLimit === null ? null : <Chip title={scopeLimit.join(', ')}>{scopeLimit.length} rights at most</Chip>}
        </p>
        <p class="soft">
          <bdi>{email}</bdi>
          {lastSeenAt === null ? null : (
            <>
              , last seen <Time at={lastSeenAt} />
            </>
          )}
        </p>
      </div>
      <div class="row">
        {isOwner() && role !== 'owner' ? (
          <Select
            quiet
            label={`Role of ${name || email}`}
            value={role as Role}
            options={ROLES}
            onValue={(next) => {
              becomes.value = next;
            }}
          />
        ) : (
          <Chip>{role}</Chip>
        )}
        {(isManager() || isMe) && role !== 'owner' ? (
          <button
            type="button"
            class="button button-small button-danger"
            onClick={() => {
              removing.value = true;
            }}
          >
            {isMe ? 'Leave' : 'Remove'}
            <span class="unseen"> {isMe ? 'the workspace' : name || email}</span>
          </button>
        ) : null}
      </div>
      {removing.value ? (
        <Remove member={member} isMe={isMe} pages={pages} onClose={() => (removing.value = false)} />
      ) : null}
      {becomes.value === undefined ? null : (
        <ChangeRole member={member} role={becomes.value} pages={pages} onClose={() => (becomes.value = undefined)} />
      )}
    </li>
  );
}

const ROLES = [
  { value: 'owner', label: 'Owner …' },
  { value: 'admin', label: 'Admin' },
  { value: 'member', label: 'Member' },
  { value: 'reviewer', label: 'Reviewer' },
] as const satisfies readonly { value: Role; label: string }[];

interface AskProps {
  member: Member;
  pages: Pages<Member>;
  onClose: () => void;
}

function ChangeRole({ member, role, pages, onClose }: AskProps & { role: Role }) {
  const { workspaceId = '' } = workspace.value ?? {};
  const deed = useDeed();
  const change = (): void =>
    deed.run(async () => {
      await call('svc_update_member_role', { workspaceId, memberId: member.memberId, role });
      say('The role was changed.', { tone: 'good' });
      onClose();
      pages.resource.reload();
      // Who gave the workspace away may less now.
      if (role === 'owner') await readSession();
    });
  const who = member.name || member.email;
  return (
    <Ask
      title={role === 'owner' ? 'Hand the workspace over?' : 'Change the role?'}
      verb={role === 'owner' ? 'Hand it over' : 'Change'}
      danger={role === 'owner'}
      deed={deed}
      onYes={change}
      onClose={onClose}
    >
      <p>
        <bdi>{who}</bdi> becomes {role}. {ROLE_WORDS[role]}.
        {role === 'owner' ? ' You stay as an admin, and only the new owner can give it back.' : ''}
      </p>
    </Ask>
  );
}

function Remove({ member, isMe, pages, onClose }: AskProps & { isMe: boolean }) {
  const { workspaceId = '' } = workspace.value ?? {};
  const deed = useDeed();
  const remove = (): void =>
    deed.run(async () => {
      await call('svc_remove_member', { workspaceId, memberId: member.memberId });
      say(isMe ? 'You left the workspace.' : 'The member was removed.', { tone: 'good' });
      onClose();
      if (isMe) await readSession();
      else pages.resource.reload();
    });
  return (
    <Ask
      title={isMe ? 'Leave the workspace?' : 'Remove this member?'}
      verb={isMe ? 'Leave' : 'Remove'}
      danger
      deed={deed}
      onYes={remove}
      onClose={onClose}
    >
      <p>
        {isMe ? 'You see' : <bdi>{member.name || member.email}</bdi>}
        {isMe ? '' : ' sees'} nothing of the workspace any more, and {isMe ? 'your' : 'their'} keys stop working here at
        once.
        {may('workspace:write') && isManager() ? ' Whoever is invited again comes back.' : ''}
      </p>
    </Ask>
  );
}
