//! Where the time of a pass goes.

/// Milliseconds of a pass, by phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phases {
    /// Quantising activations and multiplying matrices.
    pub matmul: f64,
    /// Scores, softmax, weighted values.
    pub attention: f64,
    /// Embeddings, norms, residuals, activation functions.
    pub other: f64,
}

/// A slot of [`Phases`].
#[derive(Clone, Copy)]
pub(crate) enum Phase {
    Matmul,
    Attention,
    Other,
}

/// Reads the clock at phase boundaries only, or never.
pub(crate) struct Stopwatch<'a> {
    clock: Option<&'a dyn Fn() -> f64>,
    last: f64,
    phases: Phases,
}

impl<'a> Stopwatch<'a> {
    pub(crate) fn start(clock: Option<&'a dyn Fn() -> f64>) -> Self {
        Stopwatch { clock, last: clock.map_or(0.0, |clock| clock()), phases: Phases::default() }
    }

    /// Books the time since the last call under `phase`.
    pub(crate) fn book(&mut self, phase: Phase) {
        let Some(clock) = self.clock else { return };
        let now = clock();
        let slot = match phase {
            Phase::Matmul => &mut self.phases.matmul,
            Phase::Attention => &mut self.phases.attention,
            Phase::Other => &mut self.phases.other,
        };
        *slot += now - self.last;
        self.last = now;
    }

    pub(crate) fn stop(self) -> Phases {
        self.phases
    }
}
