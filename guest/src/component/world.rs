//! The worlds that are smaller than `bot`, whose bindings the logic uses. Here bindgen only tells the linker which world the
//! component is of; what is exported are the same functions, over the same types.

#[cfg(feature = "memory")]
mod memory {
    wit_bindgen::generate!({
        path: "../wit",
        world: "memory",
        with: {
            "myao:memory/types@0.2.0": crate::bindings::types,
            "myao:memory/errors@0.2.0": crate::bindings::errors,
            "myao:memory/storage@0.2.0": crate::bindings::storage,
            "myao:memory/recall@0.2.0": crate::bindings::recall,
            "myao:memory/llm@0.2.0": crate::bindings::llm,
            "myao:memory/settings@0.2.0": crate::bindings::settings,
            "myao:memory/log@0.2.0": crate::bindings::log,
        },
    });
}

#[cfg(not(feature = "memory"))]
mod summarizer {
    wit_bindgen::generate!({
        path: "../wit",
        world: "summarizer",
        with: {
            "myao:memory/types@0.2.0": crate::bindings::types,
            "myao:memory/errors@0.2.0": crate::bindings::errors,
            "myao:memory/llm@0.2.0": crate::bindings::llm,
            "myao:memory/settings@0.2.0": crate::bindings::settings,
            "myao:memory/log@0.2.0": crate::bindings::log,
        },
    });
}

use super::Component;

/// Exports one interface. For each, bindgen makes a macro, which is named after it and its version.
macro_rules! export {
    ($interface:ident, $export:ident) => {
        crate::bindings::exports::myao::memory::$interface::$export!(
            Component with_types_in crate::bindings::exports::myao::memory::$interface
        );
    };
}

export!(about, __export_myao_memory_about_0_2_0_cabi);
export!(
    memory_summarizer,
    __export_myao_memory_memory_summarizer_0_2_0_cabi
);
export!(reply_prompt, __export_myao_memory_reply_prompt_0_2_0_cabi);
#[cfg(feature = "memory")]
export!(
    context_builder,
    __export_myao_memory_context_builder_0_2_0_cabi
);
#[cfg(feature = "memory")]
export!(
    memory_generator,
    __export_myao_memory_memory_generator_0_2_0_cabi
);
#[cfg(feature = "memory")]
export!(searcher, __export_myao_memory_searcher_0_2_0_cabi);
#[cfg(feature = "memory")]
export!(marks, __export_myao_memory_marks_0_2_0_cabi);
