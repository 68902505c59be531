-- Why an endpoint follows kinds no more that it followed; null: nothing ended since its events were chosen. What is
-- delivered meanwhile clears last_error, and not this.
alter table outrider.integration add column ended_reason text;
