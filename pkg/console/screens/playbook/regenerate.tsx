import { useSignal } from '@preact/signals';
import { call } from '../../api/call.ts';
import { useTool } from '../../api/resource.ts';
import { workspace } from '../../app/session.ts';
import { Ask } from '../../parts/ask.tsx';
import { TextArea, TextField } from '../../parts/form.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import type { Playbook } from './playbook-types.ts';

/** Has the whole text written anew. */
export function Regenerate({
  playbook,
  onDone,
  onClose,
}: {
  playbook: Playbook;
  onDone: () => void;
  onClose: () => void;
}) {
  const { workspaceId = '' } = workspace.value ?? {};
  const known = useTool('svc_get_workspace', { workspaceId }).state.value.data?.workspace.settings.website ?? '';
  const website = useSignal<string | undefined>(undefined);
  const instructions = useSignal('');
  const deed = useDeed();
  const write = (): void => {
    const asked = {
      workspaceId,
      website: (website.value ?? known).trim() || undefined,
      instructions: instructions.value.trim() || undefined,
      expectedVersion: playbook.version === null ? undefined : Number(playbook.version),
    };
    deed.run(async (key) => {
      const { creditsSpent, notes } = await call('svc_regenerate_playbook', asked, { key });
      say(creditsSpent > 0 ? `Written anew for ${creditsSpent} credits.` : 'Written anew.', { tone: 'good' });
      for (const note of notes) say(note);
      onDone();
    });
  };
  return (
    <Ask
      title="Write the playbook anew"
      verb={deed.busy ? 'Writing …' : 'Write it'}
      deed={deed}
      onYes={write}
      onClose={onClose}
    >
      <p>
        The whole text is written anew from what is on record: campaigns, audience and personas. What was edited by hand
        is replaced; it stays in the history.
      </p>
      <TextField
        label="Website"
        type="url"
        placeholder="https://"
        maxLength={500}
        value={website.value ?? known}
        onValue={(value) => {
          website.value = value;
        }}
      />
      <TextArea
        label="What to heed"
        hint="Such as tone, words to avoid, what you never promise"
        rows={4}
        maxLength={4_000}
        value={instructions.value}
        onValue={(value) => {
          instructions.value = value;
        }}
      />
    </Ask>
  );
}
