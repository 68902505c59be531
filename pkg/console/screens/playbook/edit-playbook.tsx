import { useSignal } from '@preact/signals';
import { call } from '../../api/call.ts';
import { Failure } from '../../api/http.ts';
import { workspace } from '../../app/session.ts';
import { TextArea } from '../../parts/form.tsx';
import { FailureLine } from '../../parts/loaded.tsx';
import { Section } from '../../parts/section.tsx';
import { say } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import type { Playbook } from './playbook-types.ts';

const LONGEST = 50_000;

/** Changes the text by hand. Whoever changed it meanwhile is not overwritten unseen. */
export function EditPlaybook({
  playbook,
  onDone,
  onCancel,
}: {
  playbook: Playbook;
  onDone: () => void;
  onCancel: () => void;
}) {
  const { workspaceId = '' } = workspace.value ?? {};
  // What was there when somebody began, not what was read since.
  const began = useSignal({ version: playbook.version, text: playbook.playbook ?? '' });
  const text = useSignal(began.value.text);
  const conflict = useSignal(false);
  const deed = useDeed();
  const save = (event: SubmitEvent): void => {
    event.preventDefault();
    deed.run(async () => {
      const now = await call('svc_get_playbook', { workspaceId });
      if (now.version !== began.value.version && !conflict.value) {
        conflict.value = true;
        throw new Failure(
          'refused',
          `Somebody saved version ${now.version} meanwhile; you began with ${began.value.version ?? 'none'}. Save again to put yours above it: theirs stays in the history.`,
        );
      }
      await call('svc_update_workspace', { workspaceId, playbook: text.value });
      say('The playbook was saved; the text before stays in the history.', { tone: 'good' });
      onDone();
    });
  };
  return (
    <Section title="Edit the text" about="The text before stays in the history and can be taken back.">
      <form class="stack playbook-edit" onSubmit={save}>
        <TextArea
          label="Playbook"
          quiet
          rows={24}
          maxLength={LONGEST}
          hint={`${text.value.length.toLocaleString()} of ${LONGEST.toLocaleString()} characters`}
          value={text.value}
          onValue={(value) => {
            text.value = value;
          }}
        />
        <FailureLine failure={deed.failure} />
        <div class="form-foot">
          <button type="submit" class="button button-primary" disabled={deed.busy || text.value === began.value.text}>
            Save
          </button>
          <button type="button" class="button" onClick={onCancel}>
            Cancel
          </button>
        </div>
      </form>
    </Section>
  );
}
