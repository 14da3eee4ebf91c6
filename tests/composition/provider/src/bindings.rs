#![allow(
    unsafe_code,
    missing_docs,
    unreachable_pub,
    clippy::all,
    clippy::restriction,
    reason = "generated code"
)]

wit_bindgen::generate!({
    path: "../../../wit",
    inline: "
        package myao:composition;

        world provider {
            export myao:memory/llm@0.2.0;
            export myao:memory/settings@0.2.0;
            export myao:memory/log@0.2.0;
        }
    ",
    world: "myao:composition/provider",
    generate_all,
    pub_export_macro: true,
    default_bindings_module: "crate::bindings",
});
