-- Hibernate 6, SequenceInformationExtractorLegacyImpl.
select * from information_schema.sequences;
