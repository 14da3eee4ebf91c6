#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| myao_tests::fuzzing::model_streams(data));
