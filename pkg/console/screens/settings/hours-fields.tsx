import { Check, Select, TextField } from '../../parts/form.tsx';
import type { Hours } from './hours.ts';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

const MODES = [
  { value: 'lead', label: 'Of the lead, else the one named here' },
  { value: 'account', label: 'Of the sending account' },
  { value: 'fixed', label: 'The one named here' },
] as const;

const hour = (value: number): { value: string; label: string } => ({
  value: String(value),
  label: `${String(value).padStart(2, '0')}:00`,
});
const STARTS = Array.from({ length: 24 }, (_, n) => hour(n));
const ENDS = Array.from({ length: 24 }, (_, n) => hour(n + 1));

/** When messages may leave. */
export function HoursFields({ hours, onHours }: { hours: Hours; onHours: (hours: Hours) => void }) {
  const set = (change: Partial<Hours>): void => onHours({ ...hours, ...change });
  return (
    <fieldset class="stack">
      <legend class="field-label">When messages may leave</legend>
      <div class="row">
        {DAYS.map((name, place) => (
          <Check
            key={name}
            label={name}
            checked={hours.days.includes(place + 1)}
            onChecked={(checked) => {
              const others = hours.days.filter((day) => day !== place + 1);
              set({ days: (checked ? [...others, place + 1] : others).sort((a, b) => a - b) });
            }}
          />
        ))}
      </div>
      <div class="form-grid">
        <Select
          label="From"
          value={String(hours.startHour)}
          options={STARTS}
          onValue={(value) => set({ startHour: Number(value) })}
        />
        <Select
          label="Until"
          value={String(hours.endHour)}
          options={ENDS}
          onValue={(value) => set({ endHour: Number(value) })}
        />
        <Select
          label="In which time zone"
          value={hours.timezoneMode}
          options={MODES}
          onValue={(timezoneMode) => set({ timezoneMode })}
        />
        <TextField
          label="Named zone"
          hint="Such as Europe/Berlin"
          list="zones"
          value={hours.timezone}
          maxLength={60}
          onValue={(timezone) => set({ timezone })}
        />
        <TextField
          label="Public holidays of"
          hint="Two letters, such as DE"
          value={hours.holidayCountry}
          maxLength={2}
          onValue={(value) => set({ holidayCountry: value.toUpperCase() })}
        />
      </div>
    </fieldset>
  );
}
