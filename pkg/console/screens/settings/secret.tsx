import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { Icon } from '../../parts/icon.tsx';

/** A text that is shown once, to be taken along. */
export function Secret({ label, value }: { label: string; value: string }) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const copied = useSignal(false);
  const copy = async (): Promise<void> => {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(value);
      copied.value = true;
    } catch {
      // It is selected: whoever may not write there copies by keys.
      copied.value = false;
    }
  };
  return (
    <div class="secret">
      <label class="field-label" for={id}>
        {label}
      </label>
      <input
        ref={field}
        id={id}
        class="secret-value"
        readOnly
        value={value}
        spellcheck={false}
        onFocus={(event) => event.currentTarget.select()}
      />
      <button type="button" class="button" onClick={() => void copy()}>
        <Icon name={copied.value ? 'check' : 'copy'} size={16} /> {copied.value ? 'Copied' : 'Copy'}
      </button>
    </div>
  );
}
