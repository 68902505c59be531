import { may } from '../app/session.ts';
import { Icon } from './icon.tsx';
import { FailureLine } from './loaded.tsx';
import { say } from './toasts.tsx';
import { useDeed } from './use-deed.ts';

/** Pauses something or has it go on, at once. */
export function PauseButton({
  name,
  paused,
  scope,
  does,
  said,
  onChanged,
}: {
  name: string;
  paused: boolean;
  /** The right that it takes. */
  scope: string;
  /** Calls the tool of the kind. */
  does: (pause: boolean) => Promise<unknown>;
  /** What is said once it was done. */
  said: (pause: boolean) => string;
  onChanged: () => void;
}) {
  const deed = useDeed();
  if (!may(scope)) return null;
  const change = (): void =>
    deed.run(async () => {
      await does(!paused);
      say(said(!paused), { tone: 'good' });
      onChanged();
    });
  return (
    <>
      <button type="button" class="button button-small" disabled={deed.busy} onClick={change}>
        <Icon name={paused ? 'play' : 'pause'} size={16} /> {paused ? 'Resume' : 'Pause'}
        <span class="unseen"> {name}</span>
      </button>
      <FailureLine failure={deed.failure} />
    </>
  );
}
