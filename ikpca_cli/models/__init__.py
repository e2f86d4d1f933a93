"""Models in feature space and their pre-images; no parameters are chosen here.

Words of this project that the field has no standard name for, or uses in several senses:

exact
    The model of infinitely many random features, in closed form by kernel values.
branch
    The half turn on which the angle of a random feature lies; known from the noisy row.
iteration
    One Gauss-Newton step of a pre-image, its target held or projected anew each time.
expansion
    A linear combination of iterations (as in SURE-LET); its weights have the least estimated risk.
second gamma
    Another inverse squared width, whose iterations are expanded beside those of the first.
shrink
    What a component is weighed by, between a cut (0 or 1) and the Wiener filter.
noise gain
    Variance that white noise of unit variance has along a component.
fair kernel
    A training row's kernel with itself counted as that with its nearest neighbour.
unlike
    Out of distribution: farther from the training rows than nearly all of these are.
replicates
    Rows that all show one signal, so that their mean is what they should become.
"""
