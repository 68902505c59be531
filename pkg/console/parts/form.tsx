import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  label: string;
  /** What is wrong with it. */
  problem?: string | undefined;
  hint?: ComponentChildren;
  /** The label is for who listens alone. */
  quiet?: boolean;
}

/** A label, what it is of, a hint, and what is wrong with it. @param children is given the ids to be marked with */
export function Field({
  label,
  problem,
  hint,
  quiet = false,
  children,
}: FieldProps & {
  children: (marks: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean }) => JSX.Element;
}) {
  const id = useId();
  const about = problem !== undefined || hint !== undefined ? `${id}-about` : undefined;
  return (
    <div class="field">
      <label for={id} class={quiet ? 'unseen' : 'field-label'}>
        {label}
      </label>
      {children({ id, 'aria-describedby': about, 'aria-invalid': problem !== undefined })}
      {about === undefined ? null : (
        <p id={about} class={problem === undefined ? 'hint' : 'failure'}>
          {problem ?? hint}
        </p>
      )}
    </div>
  );
}

/** What a browser is told of what may be typed. */
interface Typed {
  value: string;
  onValue: (value: string) => void;
  required?: boolean;
  disabled?: boolean;
  maxLength?: number;
  placeholder?: string;
  autocomplete?: string;
  autoFocus?: boolean;
  onKeyDown?: (event: KeyboardEvent) => void;
  /** It was left, or Enter was pressed, after something was typed. */
  onChange?: () => void;
}

type TextFieldProps = FieldProps &
  Typed & {
    type?: 'text' | 'email' | 'search' | 'url' | 'number' | 'date' | 'time' | 'password' | 'datetime-local';
    min?: string | number;
    max?: string | number;
    step?: number;
    /** Id of a datalist. */
    list?: string;
  };

/** One line of text. */
export function TextField({ label, problem, hint, quiet, onValue, type = 'text', ...rest }: TextFieldProps) {
  return (
    <Field label={label} problem={problem} hint={hint} quiet={quiet === true}>
      {(marks) => (
        // The kind of an input decides what it takes, and here it comes from outside.
        <input {...({ ...rest, ...marks, type } as object)} onInput={(event) => onValue(event.currentTarget.value)} />
      )}
    </Field>
  );
}

type TextAreaProps = FieldProps & Typed & { rows?: number };

/** Several lines of text. */
export function TextArea({ label, problem, hint, quiet, onValue, ...rest }: TextAreaProps) {
  return (
    <Field label={label} problem={problem} hint={hint} quiet={quiet === true}>
      {(marks) => <textarea {...rest} {...marks} onInput={(event) => onValue(event.currentTarget.value)} />}
    </Field>
  );
}

interface SelectProps<V extends string> extends FieldProps {
  value: V;
  options: readonly { value: V; label: string }[];
  onValue: (value: V) => void;
}

/** One of a few. */
export function Select<V extends string>({ label, problem, hint, quiet, value, options, onValue }: SelectProps<V>) {
  return (
    <Field label={label} problem={problem} hint={hint} quiet={quiet === true}>
      {(marks) => (
        <select {...marks} value={value} onChange={(event) => onValue(event.currentTarget.value as V)}>
          {options.map((one) => (
            <option key={one.value} value={one.value}>
              {one.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Yes or no, beside its words. */
export function Check({
  label,
  checked,
  onChecked,
  disabled = false,
}: {
  label: ComponentChildren;
  checked: boolean;
  onChecked: (checked: boolean) => void;
  disabled?: boolean;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChecked(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

/** One of a few that are all seen. */
export function Choice<V extends string>({
  label,
  value,
  options,
  onValue,
}: {
  label: string;
  value: V;
  options: readonly { value: V; label: ComponentChildren }[];
  onValue: (value: V) => void;
}) {
  const name = useId();
  return (
    <fieldset class="choice">
      <legend class="unseen">{label}</legend>
      {options.map((one) => (
        <label key={one.value} class="choice-one">
          <input
            type="radio"
            name={name}
            value={one.value}
            checked={one.value === value}
            onChange={() => onValue(one.value)}
          />
          <span>{one.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
