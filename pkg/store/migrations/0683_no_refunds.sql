-- Nothing called it: what proves worthless is known before its hold is settled, which is released instead. The kind of entry and
-- credit_hold.refunded stay, which the catalog and sums of the ledger know.
drop function if exists app.refund_credits(uuid, bigint, text, bigint, text);
