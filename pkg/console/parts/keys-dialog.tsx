import { Dialog } from './dialog.tsx';
import { Check } from './form.tsx';
import { keysOn } from './keys.ts';

/** Which key does what, and the switch of all of them. */
export function KeysDialog({ keys, onClose }: { keys: readonly (readonly [string, string])[]; onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <Check
        label="Single keys do something here"
        checked={keysOn.value}
        onChecked={(checked) => {
          keysOn.value = checked;
        }}
      />
      <dl class="keys">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
